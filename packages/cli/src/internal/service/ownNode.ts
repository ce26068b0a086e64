/** The configuration for a node of one's own, which needs no credential of the service. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { OwnNodeInput } from "../frame/shared.js"
import * as Failure from "../terminal/Failure.js"
import * as failureOf from "../terminal/failureOf.js"
import * as values from "../terminal/values.js"

/** The settings of the node that is meant, and its address. */
export const open = Effect.fnUntraced(function*({ chain, node, ownNode, sandbox }: OwnNodeInput) {
  if (sandbox) return yield* Failure.usage("give either a node or --sandbox")
  if (node !== undefined && ownNode) return yield* Failure.usage("give either --node or --own-node")
  const { authorization, url } = yield* values.ownNode(node)
  const settings = yield* OwnNode.make({
    chain: chain === "1001" ? Chain.testnet : Chain.mainnet,
    url: Redacted.make(url),
    authorization: authorization === undefined ? undefined : Redacted.make(authorization)
  }).pipe(
    // The address is one of the options.
    Effect.mapError(({ message }) => Failure.usage(message, "check --node, or KLAYTN_OWN_NODE_URL"))
  )
  return { settings, url }
})

/** Whether a sandbox has the address: its health names its chains. */
const isSandbox = (origin: string) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => client.get(`${origin}/_sandbox/health`)).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ chains: Schema.Array(Schema.Unknown) }))),
    Effect.timeout("5 seconds"),
    Effect.withTracerEnabled(false),
    Effect.isSuccess
  )

/** Refuses an address that can't be used as a node if a sandbox has it, and its nodes have other addresses. */
export const refuseSandbox = Effect.fnUntraced(function*(url: string) {
  if (!URL.canParse(url)) return
  const { host, origin, pathname } = new URL(url)
  if (/^\/rpc\/(1001|8217)\/?$/.test(pathname) || !(yield* isSandbox(origin))) return
  return yield* Failure.usage(
    `${host} is a sandbox, and this is not the address of a node in it`,
    `its nodes are ${origin}/rpc/1001 and ${origin}/rpc/8217`
  )
})

const whichNode = "the address, of --node or KLAYTN_OWN_NODE_URL"

/** What to do about a failure of a node of one's own: the doctor of the service does not ask it. */
const hintsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  Unauthorized: [],
  TransportFailed: [`look whether the node is running, and check ${whichNode}`],
  RedirectRefused: [`check ${whichNode}`],
  MalformedResponse: [`klaytn doctor --node shows whether this is a node; check ${whichNode}`]
}

/** What a failure to get an answer says of what is at the address. */
const findings: ReadonlyArray<readonly [pattern: RegExp, hint: string]> = [
  [/_SSL_|_TLS_|EPROTO/, "what listens there does not speak https: if it is the node, its address begins with http://"],
  [/UND_ERR_SOCKET|ECONNRESET|HPE_/, "something listens there and does not answer in HTTP: perhaps it is no node"],
  [
    /limit of \d+ ms passed/,
    "something accepts connections there and does not answer in time: the node is too busy, or it is none"
  ]
]

/** Says of the failures of a node of one's own what to do about them. */
export const explained = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.catchAllCause(self, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const failure = failureOf.fromCause(cause)
    const found = findings.filter(([pattern]) => pattern.test(failure.message)).map(([, hint]) => hint)
    const isPlain = failure.kind === "TransportFailed" || failure.kind === "TimedOut"
    const hints = isPlain && found.length > 0
      ? [...found, `check ${whichNode}`]
      : hintsOf[failure.kind] ?? failure.hints ?? []
    return new Failure.Failure({ ...failure, message: failure.message, hints })
  })
