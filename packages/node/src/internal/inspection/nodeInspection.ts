/** Asks a node what it can do. */
import { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as Socket from "@effect/platform/Socket"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Syncing } from "../../ChainMethods.js"

/** Whether the node can do something. */
type Ability = "yes" | "no" | "unknown"

const prefixes = ["kaia", "klay", "eth"] as const

type Prefix = (typeof prefixes)[number]

const batches = [10, 100, 1000]
/** Tried if the node refuses the smallest of `batches`. */
const smallestBatch = 2
const ranges = [1, 100, 1000, 10_000]
const stateDepths = [100_000n, 10_000n, 1000n]
/** Requests whose connection broke are repeated, each once and this many in all: a node that drops some still has its abilities. */
const repeats = 4
/** After the one of each prefix, how often the height is asked. */
const heights = 3
const versions = 2
const timeLimit = Duration.seconds(10)
/** Behind the newest block, so that a node that lags a little has it too. */
export const nearDepth = 5n

export const maxRequests = prefixes.length + heights + versions +
  // Chain ID, newest block, syncing, a call that is refused, receipts, trace, the state of block 1, two WebSockets.
  9 + repeats + batches.length + ranges.length + stateDepths.length

/** The code of a contract whose creation reverts: PUSH1 0, DUP1, REVERT. */
const reverting = "0x600080fd"

/** Codes of a node that takes no such call. */
const takesNone: ReadonlySet<number> = new Set([JsonRpc.ErrorCode.MethodNotFound, JsonRpc.ErrorCode.InvalidParams])

/** The words of a refusal that are not known; none for known ones, or no refusal. */
const unknownRevertOf = (asked: Reply): Option.Option<string> => {
  const answer = Either.isRight(asked) && !isThrottled(asked) ? asked.right[0] : undefined
  if (answer === undefined || Either.isRight(answer) || answer.left._tag !== "NodeError") return Option.none()
  const { error } = answer.left
  return JsonRpc.isRevert(error) || takesNone.has(error.code) ? Option.none() : Option.some(error.message)
}

const zero = `0x${"00".repeat(20)}`

const asSyncing = Decoder.make(Syncing)
const asBigInt = Decoder.make(BigIntFromQuantity)
const asText = Decoder.make(Schema.String)
const asBlock = Decoder.make(Schema.Struct({ timestamp: BigIntFromQuantity }))
const asList = Decoder.make(Schema.Array(Schema.Unknown))

type Reply = Either.Either<ReadonlyArray<JsonRpc.Answer>, ServiceError>

const isThrottled = (asked: Reply): boolean => {
  if (Either.isLeft(asked)) return asked.left._tag === "RateLimited"
  return asked.right.some((one) =>
    Either.isLeft(one) && one.left._tag !== "Malformed" &&
    (one.left.error.code === -32005 || one.left.error.code === 429)
  )
}

/** The result of the only call. */
const resultOf = (asked: Reply): Option.Option<unknown> =>
  Either.isRight(asked) && asked.right[0] !== undefined ? Either.getRight(asked.right[0]) : Option.none()

const decodedBy = <A>(decode: (value: unknown) => Either.Either<A, unknown>) => (asked: Reply): Option.Option<A> =>
  Option.flatMap(resultOf(asked), (result) => Either.getRight(decode(result)))

const isAll = (asked: Reply): boolean => Either.isRight(asked) && asked.right.every(Either.isRight)

/** What an answer says about a method. A node without an answer in time may still have the method. */
const abilityOf = (asked: Reply): Ability => {
  if (Option.isSome(decodedBy(asList)(asked))) return "yes"
  if (isThrottled(asked)) return "unknown"
  if (Either.isRight(asked)) return "no"
  return asked.left._tag === "Rejected" || asked.left._tag === "NotFound" || asked.left._tag === "Unauthorized"
    ? "no"
    : "unknown"
}

interface Node {
  /** Makes a call, or a request of many equal ones. */
  readonly ask: (method: string, params?: ReadonlyArray<unknown>, times?: number) => Effect.Effect<Reply>
  readonly seen: { requests: number; throttled: number; slowestMillis: number }
}

const nodeOf = (client: ServiceClient.ServiceClient): Node => {
  const seen = { requests: 0, throttled: 0, slowestMillis: 0 }
  let repeated = 0
  const ask: Node["ask"] = Effect.fnUntraced(function*(method, params = [], times = 1) {
    const began = yield* Clock.currentTimeMillis
    const once = Effect.flatMap(JsonRpc.writeParams("node.inspect", params), (text) => {
      seen.requests++
      const requests = Array.replicate({ method, params: text }, times)
      return JsonRpc.exchange(client, { name: "node.inspect", safety: "safe", requests, read: Either.right })
    })
    const asked = yield* Effect.either(Effect.catchTag(once, "TransportFailed", (failure) => {
      if (repeated === repeats) return failure
      repeated++
      return once
    }))
    seen.slowestMillis = Math.max(seen.slowestMillis, (yield* Clock.currentTimeMillis) - began)
    // Batches and log searches that are too large are refused with the same codes.
    const isLimit = times > 1 || method.endsWith("_getLogs")
    if (!isLimit && isThrottled(asked)) seen.throttled++
    return asked
  })
  return { ask, seen }
}

/** The last of the values, in order, that works. The first that does not ends the search. */
const lastThatWorks = <A>(
  values: ReadonlyArray<A>,
  works: (value: A) => Effect.Effect<boolean>
): Effect.Effect<Option.Option<A>> =>
  Effect.map(Effect.takeWhile(values, works), (found) => Option.fromNullable(found.at(-1)))

const batchOf = ({ ask }: Node, prefix: Prefix): Effect.Effect<number> => {
  const works = (size: number) => Effect.map(ask(`${prefix}_blockNumber`, [], size), isAll)
  return Effect.flatMap(
    lastThatWorks(batches, works),
    Option.match({
      onNone: () => Effect.map(works(smallestBatch), (isTaken) => isTaken ? smallestBatch : 1),
      onSome: Effect.succeed
    })
  )
}

const rangeOf = ({ ask }: Node, prefix: Prefix, height: bigint): Effect.Effect<Option.Option<number>> => {
  const blocks = Number(height) + 1
  const sizes = [...new Set(ranges.map((size) => Math.min(size, blocks)))]
  return lastThatWorks(sizes, (size) => {
    const fromBlock = quantity(height - BigInt(size) + 1n)
    const filter = { fromBlock, toBlock: quantity(height), address: zero }
    return Effect.map(ask(`${prefix}_getLogs`, [filter]), (asked) => Option.isSome(decodedBy(asList)(asked)))
  })
}

const oldestStateOf = ({ ask }: Node, prefix: Prefix, height: bigint): Effect.Effect<Option.Option<bigint>> => {
  const older = stateDepths.map((depth) => height - depth).filter((block) => block > 1n)
  const blocks = [height > 1n ? 1n : height, ...older]
  return Effect.findFirst(
    blocks,
    (block) =>
      Effect.map(
        ask(`${prefix}_getBalance`, [zero, quantity(block)]),
        (asked) => Option.isSome(decodedBy(asBigInt)(asked))
      )
  )
}

/** Whether a WebSocket opens at an address, which may hold a key: no error of it is kept. */
const opens = (construct: (url: string) => WebSocket, url: string): Effect.Effect<Ability> =>
  Effect.async<Ability>((resume) => {
    const made = Either.try(() => construct(url))
    if (Either.isLeft(made)) return resume(Effect.succeed("unknown"))
    const socket = made.right
    const end = (ability: Ability) => () => resume(Effect.succeed(ability))
    socket.addEventListener("open", end("yes"))
    socket.addEventListener("error", end("no"))
    socket.addEventListener("close", end("no"))
    return Effect.sync(() => socket.close())
  }).pipe(Effect.timeoutTo({ duration: timeLimit, onSuccess: (ability) => ability, onTimeout: () => "unknown" }))

const webSocketOf = Effect.fnUntraced(
  function*({ seen }: Node, webSocketUrl: Redacted.Redacted<string> | undefined, chainId: bigint) {
    const construct = yield* Effect.serviceOption(Socket.WebSocketConstructor)
    const url = webSocketUrl === undefined ? undefined : Redacted.value(webSocketUrl)
    if (Option.isNone(construct) || url === undefined || !URL.canParse(url)) {
      return { sameAddress: "unknown", service: "unknown" } as const
    }
    const service = new URL(url)
    service.pathname = "/v1/ws/open"
    service.search = `?chain-id=${chainId}`
    seen.requests += 2
    return {
      sameAddress: yield* opens(construct.value, url),
      service: yield* opens(construct.value, service.href)
    }
  }
)

/** Asks for the heights and versions. Fails if there is no answer at all. */
const identityOf = Effect.fnUntraced(function*({ ask }: Node) {
  const firstAnswers = yield* Effect.forEach(prefixes, (name) => ask(`${name}_blockNumber`))
  const [firstAnswer] = firstAnswers
  if (firstAnswer !== undefined && Either.isLeft(firstAnswer) && firstAnswers.every(Either.isLeft)) {
    return yield* firstAnswer.left
  }
  const heightsOf = firstAnswers.map(decodedBy(asBigInt))
  const served = prefixes.filter((_, i) => heightsOf[i] !== undefined && Option.isSome(heightsOf[i]))
  const prefix = served[0] ?? "eth"
  const more = yield* Effect.replicateEffect(ask(`${prefix}_blockNumber`), heights)
  const named = [...heightsOf, ...more.map(decodedBy(asBigInt))].flatMap(Option.toArray)
  const own = yield* Effect.replicateEffect(ask("web3_clientVersion"), versions)
  const clients = [...new Set(own.map(decodedBy(asText)).flatMap(Option.toArray))]
  const wentBack = named.some((height, i) => i > 0 && height < (named[i - 1] ?? height))
  return {
    served,
    prefix,
    clients,
    height: Array.isNonEmptyArray(named) ? Option.some(Array.max(named, Order.bigint)) : Option.none<bigint>(),
    hasSeveralNodes: wentBack || clients.length > 1
  }
})

/** What is asked at the height of the chain. */
const depthsOf = Effect.fnUntraced(function*(node: Node, prefix: Prefix, height: bigint) {
  const { ask } = node
  const settled = height > nearDepth ? height - nearDepth : height
  const near = quantity(settled)
  return {
    blockRange: yield* rangeOf(node, prefix, settled),
    blockReceipts: abilityOf(yield* ask(`${prefix}_getBlockReceipts`, [near])),
    traces: abilityOf(yield* ask("debug_traceBlockByNumber", [near, { tracer: "callTracer" }])),
    oldestState: yield* oldestStateOf(node, prefix, height)
  }
})

const noDepths: Effect.Effect.Success<ReturnType<typeof depthsOf>> = {
  blockRange: Option.none(),
  blockReceipts: "unknown",
  traces: "unknown",
  oldestState: Option.none()
}

export const inspect = Effect.fnUntraced(
  function*({ webSocketUrl }: { readonly webSocketUrl?: Redacted.Redacted<string> | undefined } = {}) {
    const settings = yield* ClientConfig
    const client = yield* Effect.provideService(ServiceClient.make("node"), ClientConfig, {
      ...settings,
      retry: RetryPolicy.none,
      attemptTimeout: Duration.min(settings.attemptTimeout, timeLimit),
      deadline: Duration.min(settings.deadline, timeLimit)
    })
    const endpoint = settings.endpoints.node
    const node = nodeOf(client)
    const { clients, hasSeveralNodes, height, prefix, served } = yield* identityOf(node)
    const chainId = decodedBy(asBigInt)(yield* node.ask(prefix === "klay" ? "klay_chainID" : `${prefix}_chainId`))
    const syncing = decodedBy(asSyncing)(yield* node.ask(`${prefix}_syncing`))
    const newest = decodedBy(asBlock)(yield* node.ask(`${prefix}_getBlockByNumber`, ["latest", false]))
    const now = yield* Clock.currentTimeMillis
    const unknownRevert = unknownRevertOf(yield* node.ask(`${prefix}_call`, [{ data: reverting }, "latest"]))
    const batch = yield* batchOf(node, prefix)
    const depths = Option.isSome(height) ? yield* depthsOf(node, prefix, height.value) : noDepths
    const webSocket = yield* webSocketOf(node, webSocketUrl, Option.getOrElse(chainId, () => BigInt(settings.chain)))
    return {
      host: endpoint === undefined ? "" : Endpoints.host(endpoint),
      requests: node.seen.requests,
      clients,
      chainId,
      height,
      blockAge: Option.map(newest, ({ timestamp }) => Math.floor(now / 1000) - Number(timestamp)),
      syncing,
      prefixes: served,
      batch,
      ...depths,
      unknownRevert,
      hasSeveralNodes,
      throttled: node.seen.throttled,
      slowestMillis: node.seen.slowestMillis,
      webSocket
    }
  }
)
