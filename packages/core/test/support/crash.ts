/** A program that dies of a failure of the SDK that nobody deals with. Run by a test in a process of its own. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import { serve } from "./loopback.js"
import * as Thing from "./thing.js"

const program = Effect.gen(function*() {
  const { url } = yield* serve((request, response) => {
    response.statusCode = 401
    response.end(JSON.stringify({ code: 1010009, message: `no access for ${request.headers.authorization}` }))
  })
  process.env["KLAYTN_HISTORY_URL"] = url
  const client = yield* ServiceClient.make("history").pipe(
    Effect.provide(ClientConfig.layerConfig()),
    Effect.provide(FetchHttpClient.layer)
  )
  // Uncaught on purpose, so that a crash report shows the failure, its cause and what is in scope.
  return yield* client.call(Thing.getThing, Thing.theThing).pipe(
    Effect.catchAll((error) => Effect.die(Object.assign(new Error("crash"), { cause: error, client })))
  )
})

await Effect.runPromise(Effect.scoped(program))
