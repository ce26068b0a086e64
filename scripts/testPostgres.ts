/**
 * `pnpm test:postgres`: runs the tests whose names contain "on Postgres" on a server that it starts in a temporary folder and
 * ends afterwards, or on the one whose address is in TEST_POSTGRES. Where Debian's `postgresql` is missing, root installs
 * it; anybody else is told to. Arguments go to vitest.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { isInstalled, temporary } from "../packages/engine/drills/postgres.js"
import { root } from "./workspace.js"

/** The packages whose tests use `packages/engine/test/support/databases.ts`. */
const folders = ["packages/engine/", "packages/payouts/", "packages/exports/", "packages/indexer/", "packages/gateway/"]

/** Runs a command and gives its exit code. It must not block: the server's log would fill its pipe, and the server would stop. */
const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.async<number>((resume) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } })
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("exit", (code) => resume(Effect.succeed(code ?? 1)))
  })

const install = Effect.gen(function*() {
  if (isInstalled() || process.getuid?.() !== 0) return
  const quietly = { DEBIAN_FRONTEND: "noninteractive" }
  yield* run("apt-get", ["update", "-q"], quietly)
  yield* run("apt-get", ["install", "-q", "-y", "--no-install-recommends", "postgresql"], quietly)
})

const tests = (url: string) =>
  run(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      ...folders,
      "-t",
      "on Postgres",
      ...process.argv.slice(2)
    ],
    { TEST_POSTGRES: url }
  )

const server = Effect.suspend(() => {
  const given = process.env["TEST_POSTGRES"]
  return given === undefined ? Effect.zipRight(install, temporary) : Effect.succeed(Redacted.make(given))
})

const code = await Effect.flatMap(server, (url) => tests(Redacted.value(url))).pipe(
  Effect.catchTag("NoPostgres", ({ message }) => Effect.as(Console.error(message), 1)),
  Effect.scoped,
  Effect.runPromise
)
process.exit(code)
