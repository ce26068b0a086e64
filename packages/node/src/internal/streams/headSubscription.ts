/** A subscription to the heads of blocks that is opened again whenever it ends. */
import type { Endpoint } from "@effect-klaytn/core/Endpoints"
import * as Input from "@effect-klaytn/core/Input"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Socket from "@effect/platform/Socket"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SubscriptionRef from "effect/SubscriptionRef"

const namespaces = ["klay", "kaia", "eth"]

const isAddress = (url: Redacted.Redacted<string>): boolean => {
  const text = Redacted.value(url)
  return typeof text === "string" && URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol)
}

export const readOptions = Input.decode(
  "node.blockHeads",
  Schema.Struct({
    url: Schema.declare((url): url is Redacted.Redacted<string> => Redacted.isRedacted(url)).pipe(
      Schema.filter(isAddress)
    ).annotations({ message: () => "expected Redacted.make of the address of a WebSocket: ws: or wss:" }),
    silence: Schema.optionalWith(
      Input.duration(
        "expected a duration above zero, such as \"30 seconds\"",
        (duration) => Duration.isFinite(duration) && Duration.toMillis(duration) > 0
      ),
      { default: () => Duration.seconds(30) }
    )
  })
)

/** Where the hosted service's own client opens a WebSocket, without its credential. */
export const serviceAddress = (endpoint: Endpoint, chain: number): string => {
  const url = new URL(endpoint.replace(/^http/, "ws"))
  url.pathname = `${url.pathname.replace(/\/v1\/klaytn$/, "").replace(/\/$/, "")}/v1/ws/open`
  url.search = `?chain-id=${chain}`
  return url.href
}

/** The address with the ID and the secret of an `Authorization` header. */
export const withCredential = (
  address: string,
  authorization: Redacted.Redacted<string>
): Redacted.Redacted<string> => {
  const token = Redacted.value(authorization).replace(/^Basic +/i, "")
  const pair = Either.getOrElse(Encoding.decodeBase64String(token), () => "")
  const border = pair.indexOf(":")
  if (border < 0) return Redacted.make(address)
  const url = new URL(address)
  url.username = encodeURIComponent(pair.slice(0, border))
  url.password = encodeURIComponent(pair.slice(border + 1))
  return Redacted.make(url.href)
}

/** The connection ended, or could not be opened. Nothing of the cause is kept: it may hold the address. */
class Ended extends Data.TaggedError("Ended")<{ readonly reason: string }> {}

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered,
  Schedule.resetAfter("1 minute")
)

/** What the node says: the height of a new block, whether it accepts a request, or nothing of interest. */
const read = (text: string): bigint | boolean | undefined => {
  const message = Either.getOrUndefined(JsonRpc.parse(text))
  if (!Predicate.isRecord(message)) return undefined
  if (message["id"] !== undefined && message["method"] === undefined) return typeof message["result"] === "string"
  const { params } = message
  const result = Predicate.isRecord(params) ? params["result"] : undefined
  const number = Predicate.isRecord(result) ? result["number"] : undefined
  return typeof number === "string" && /^0x[0-9a-f]{1,13}$/i.test(number) ? BigInt(number) : undefined
}

/** What the node announced. */
interface Announced {
  readonly isSubscribed: boolean
  readonly newest: Option.Option<bigint>
}

/** By how many blocks the copies of a node differ in their heights, at most. */
export const farthest = 128n

/** The highest of two heights; of two that copies of one node can't both have, the one that was announced last. */
const highest = (before: Option.Option<bigint>, height: bigint): Option.Option<bigint> =>
  Option.some(
    Option.match(before, {
      onNone: () => height,
      onSome: (known) => known > height && known - height <= farthest ? known : height
    })
  )

/** Keeps one connection until it ends, which is a failure. */
const connection = (
  url: string,
  silence: Duration.Duration,
  known: SubscriptionRef.SubscriptionRef<Announced>
): Effect.Effect<never, Ended, Socket.WebSocketConstructor> =>
  Effect.gen(function*() {
    const socket = yield* Socket.makeWebSocket(url, { closeCodeIsError: () => true })
    const write = yield* socket.writer
    let tried = 0
    let messages = 0
    const subscribe = Effect.suspend((): Effect.Effect<void, Socket.SocketError | Ended> => {
      const namespace = namespaces[tried++]
      return namespace === undefined
        ? Effect.fail(new Ended({ reason: "the node accepts no subscription" }))
        : write(JSON.stringify({ jsonrpc: "2.0", id: tried, method: `${namespace}_subscribe`, params: ["newHeads"] }))
    })
    const onMessage = (data: string | Uint8Array) => {
      messages++
      const said = read(typeof data === "string" ? data : new TextDecoder().decode(data))
      if (said === undefined) return Effect.void
      if (said === false) return subscribe
      return SubscriptionRef.update(known, ({ newest }) => ({
        isSubscribed: true,
        newest: said === true ? newest : highest(newest, said)
      }))
    }
    const watch = Effect.gen(function*() {
      for (let before = -1; before !== messages;) {
        before = messages
        yield* Effect.sleep(silence)
      }
      return yield* new Ended({ reason: "the node was silent" })
    })
    const run = socket.runRaw(onMessage, { onOpen: Effect.ignore(subscribe) })
    return yield* Effect.raceFirst(
      Effect.zipRight(run, new Ended({ reason: "the node closed the connection" })),
      watch
    )
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => error._tag === "Ended" ? error : new Ended({ reason: error.reason })),
    // A constructor of WebSockets may throw.
    Effect.catchAllDefect(() => new Ended({ reason: "the connection could not be opened" })),
    Effect.ensuring(SubscriptionRef.update(known, ({ newest }) => ({ isSubscribed: false, newest })))
  )

/** Subscribes, in the background, as long as the scope lives. */
export const make = <E>(
  url: Effect.Effect<Redacted.Redacted<string>, E>,
  silence: Duration.Duration
) =>
  Effect.gen(function*() {
    const known = yield* SubscriptionRef.make<Announced>({ isSubscribed: false, newest: Option.none() })
    const once = url.pipe(
      Effect.mapError(() => new Ended({ reason: "there is no credential" })),
      Effect.flatMap((found) => connection(Redacted.value(found), silence, known)),
      Effect.tapError(({ reason }) => Effect.logDebug(`no subscription to new blocks: ${reason}; polling instead`))
    )
    yield* Effect.forkScoped(Effect.retry(once, backoff))
    return { current: SubscriptionRef.get(known), changes: known.changes }
  })
