/**
 * What README says of the real service: the program with `Demo.layer` replaced in the words of that sentence compiles, and
 * prints the same against a service that it finds by the environment, here a sandbox in another process.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compiler } from "./compiler.js"
import { root, run } from "./workspace.js"

const service = `import { Demo, Sandbox } from "@effect-klaytn/sandbox"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"

const program = Effect.gen(function*() {
  const { accessKeyId, secretAccessKey, url } = yield* Sandbox.Sandbox
  const env = {
    ...process.env,
    KLAYTN_CHAIN_ID: "1001",
    KLAYTN_HISTORY_URL: url,
    KLAYTN_ACCESS_KEY_ID: accessKeyId,
    KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey)
  }
  return yield* Effect.async<number>((resume) => {
    spawn(process.execPath, ["--import", "tsx", "examples/real.ts"], { env, stdio: "inherit" })
      .on("close", (code) => resume(Effect.succeed(code ?? 1)))
  })
})
process.exitCode = await Effect.runPromise(Effect.provide(program, Demo.layer))
`

/** Why the sentence is false in an installed clone, or undefined. */
export const realProblem = async (clone: string): Promise<string | undefined> => {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const [, layers] = /replace `Demo\.layer` by\s+`([^`]+)`/.exec(readme) ?? []
  const modules = [...readme.matchAll(/`(\w+)` (?:is )?in `(@[\w/-]+)`/g)]
  if (layers === undefined || modules.length === 0) return "README.md does not say what replaces Demo.layer"
  const first = readFileSync(join(clone, "examples/first.ts"), "utf8")
  const imports = modules.map(([, name = "", from = ""]) => `import { ${name} } from "${from}"\n`).join("")
  writeFileSync(join(clone, "examples/real.ts"), imports + first.replace("Demo.layer", layers))
  writeFileSync(join(clone, "examples/realService.ts"), service)
  const config = { extends: "./tsconfig.json", include: [], files: ["examples/real.ts"] }
  writeFileSync(join(clone, "tsconfig.real.json"), JSON.stringify(config))
  const [tsc = "", ...args] = compiler(["-p", "tsconfig.real.json", "--pretty", "false"])
  const typed = await run(tsc, args, { cwd: clone, timeout: 120_000 })
  if (typed.code !== 0) return `it does not compile: ${typed.output.trim()}`
  const ran = await run(process.execPath, ["--import", "tsx", "examples/realService.ts"], {
    cwd: clone,
    timeout: 60_000
  })
  const printed = readFileSync(join(clone, "examples/first.txt"), "utf8").trim()
  return ran.code === 0 && ran.output.trim() === printed ? undefined : `exit ${ran.code}: ${ran.output.trim()}`
}
