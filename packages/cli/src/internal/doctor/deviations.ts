/** Where a sandbox differs from a node: the sandbox itself says so. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Screen from "../terminal/Screen.js"

const Deviations = Schema.Array(Schema.Struct({ here: Schema.String, node: Schema.String, why: Schema.String }))

type Deviations = typeof Deviations.Type

/** Whether the name that a node gives itself is a sandbox's. */
const isSandbox = (client: string): boolean => client.includes("effect-klaytn-sandbox/")

/** The deviations of what has the address, if that is a sandbox that says them: an exposed one asks for its credential. */
export const of = (clients: ReadonlyArray<string>, url: string) =>
  clients.some(isSandbox)
    ? Effect.flatMap(HttpClient.HttpClient, (client) => client.get(`${new URL(url).origin}/_sandbox/deviations`)).pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Deviations)),
      Effect.timeout("5 seconds"),
      Effect.withTracerEnabled(false),
      Effect.option
    )
    : Effect.succeed(Option.none<Deviations>())

/** The deviations as lines. */
export const page = (out: Screen.Output, deviations: Option.Option<Deviations>): ReadonlyArray<string> =>
  Option.match(deviations, {
    onNone: () => [],
    onSome: (all) => [
      "",
      "This is a sandbox. All in which it is known to differ from a node of release 2.2.1:",
      ...all.flatMap(({ here, node, why }) =>
        Screen.hanging("  - ", Screen.clean(`${here}; on a node: ${node} (${why})`), Screen.proseWidth(out))
      )
    ]
  })
