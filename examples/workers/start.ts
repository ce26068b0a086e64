/** Starts workers as processes of their own. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { bundleProgram } from "../../scripts/bundleProgram.js"

const script = await bundleProgram(new URL("./worker.ts", import.meta.url))

const gone = (child: ChildProcess): Effect.Effect<{ readonly signal: NodeJS.Signals | null }> =>
  Effect.async((resume) => {
    const end = () => resume(Effect.succeed({ signal: child.signalCode }))
    if (child.exitCode !== null || child.signalCode !== null) end()
    else child.once("exit", end)
  })

/** Waits until a worker is ready. It ends with the scope. */
export const start = (name: string, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [script], {
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, ...environment }
        })
      ),
      (child) =>
        Effect.suspend(() => {
          child.kill("SIGTERM")
          return gone(child)
        })
    )
    yield* Effect.async<void>((resume) => {
      child.stdout.once("data", () => resume(Effect.void))
      child.once("exit", (code) => resume(Effect.dieMessage(`the ${name} worker ended with ${code}`)))
    })
    return {
      kill: Effect.suspend(() => {
        child.kill("SIGKILL")
        return gone(child)
      })
    }
  })
