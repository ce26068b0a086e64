/**
 * A Postgres of its own for a drill, in a temporary folder, on loopback: from the programs that Debian's `postgresql`
 * installs, run by an unprivileged user where the drill is root. It ends, and its folder goes, with the scope.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Why there is none, in one sentence. */
export class NoPostgres extends Data.TaggedError("NoPostgres")<{ readonly message: string }> {}

const versions = "/usr/lib/postgresql"

/** The folder of the newest version's programs, or none. */
const programs = (): string | undefined =>
  (existsSync(versions) ? readdirSync(versions) : [])
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versions, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")))

/** Whether there are programs to start a server with. */
export const isInstalled = (): boolean => programs() !== undefined

interface User {
  readonly uid?: number
  readonly gid?: number
}

/** Postgres refuses to run as root. */
const unprivileged = (): User => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (what: "-u" | "-g"): number => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const freePort = Effect.async<number, NoPostgres>((resume) => {
  const server = createServer()
  server.once("error", ({ message }) => resume(Effect.fail(new NoPostgres({ message }))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const started = (server: ChildProcess): Effect.Effect<void, NoPostgres> =>
  Effect.async((resume) => {
    let output = ""
    server.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes("ready to accept connections")) resume(Effect.void)
    })
    server.once("error", ({ message }) => resume(Effect.fail(new NoPostgres({ message }))))
    server.once("exit", (code) =>
      resume(Effect.fail(new NoPostgres({ message: `postgres exited with ${code}: ${output}` }))))
  })

/** Postgres' own names for two ways to shut down. */
const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const

const ended = (server: ChildProcess, shutdown: keyof typeof signals): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (server.exitCode !== null || server.signalCode !== null) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill(signals[shutdown])
  }).pipe(Effect.timeoutTo({
    duration: "10 seconds",
    onSuccess: () => undefined,
    onTimeout: () => void server.kill("SIGKILL")
  }))

/** A server with an empty database. */
export interface Postgres {
  readonly url: Redacted.Redacted
  /** Ends the server, and starts it again at the same address: `fast` as an operator does, `immediate` as a crash does. */
  readonly restart: (shutdown: "fast" | "immediate") => Effect.Effect<void, NoPostgres>
}

/** Starts a server that can be restarted; it ends with the scope. */
export const restartable: Effect.Effect<Postgres, NoPostgres, Scope.Scope> = Effect.gen(function*() {
  const folder = programs()
  if (folder === undefined) {
    return yield* new NoPostgres({ message: "There is no Postgres on this machine (Debian's package: postgresql)." })
  }
  const user = yield* Effect.try({
    try: unprivileged,
    catch: () =>
      new NoPostgres({ message: "Postgres refuses to run as root, and there is no user postgres to run it." })
  })
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "postgres-drill-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )
  const data = join(home, "data")
  yield* Effect.try({
    try: () => {
      if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid)
      const options = ["-D", data, "-U", "drill", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
      execFileSync(join(folder, "initdb"), options, { ...user, cwd: home, stdio: "pipe" })
    },
    catch: (error) => new NoPostgres({ message: `initdb failed: ${String(error)}` })
  })
  const port = yield* freePort
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${home}`, "fsync=off"]
  const spawned = Effect.sync(() =>
    spawn(join(folder, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
      ...user,
      cwd: home,
      stdio: ["ignore", "ignore", "pipe"]
    })
  )
  const ready = (server: ChildProcess) =>
    started(server).pipe(Effect.timeoutFail({
      duration: "20 seconds",
      onTimeout: () => new NoPostgres({ message: "Postgres was not ready after 20 seconds." })
    }))
  const server = yield* Effect.acquireRelease(
    Effect.flatMap(spawned, (first) => Ref.make(first)),
    (server) => Effect.flatMap(Ref.get(server), (last) => ended(last, "fast"))
  )
  yield* Effect.flatMap(Ref.get(server), ready)
  return {
    url: Redacted.make(`postgres://drill:not-a-secret@127.0.0.1:${port}/postgres`),
    restart: (shutdown) =>
      Effect.gen(function*() {
        yield* ended(yield* Ref.get(server), shutdown)
        const next = yield* spawned
        yield* Ref.set(server, next)
        yield* ready(next)
      })
  }
})

/** The address of an empty database. */
export const temporary: Effect.Effect<Redacted.Redacted, NoPostgres, Scope.Scope> = Effect.map(
  restartable,
  ({ url }) => url
)
