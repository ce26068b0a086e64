/** The server process, kept alive by a scope. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { fork } from "node:child_process"
import { join } from "node:path"
import { Ready } from "./Ready.js"

export class ServerFailed extends Data.TaggedError("ServerFailed")<{ readonly message: string }> {}

export class Server extends Context.Tag("benchmarks/Server")<Server, Ready>() {}

const decode = Schema.decodeUnknown(Ready)

export const layer = Layer.scoped(
  Server,
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(join(import.meta.dirname, "serve.ts"), { execArgv: ["--import", "tsx"] })),
      (child) => Effect.sync(() => child.kill())
    )
    const told = yield* Effect.async<unknown, ServerFailed>((resume) => {
      child.once("message", (message) => resume(Effect.succeed(message)))
      child.once(
        "exit",
        (code) => resume(Effect.fail(new ServerFailed({ message: `the server's process ended with ${code}` })))
      )
    })
    return yield* decode(told)
  })
)
