import { logOf, zeroHash } from "@effect-klaytn/custody/TransactionFields"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber, type NumberSelector } from "./BlockSelector.js"
import { type Failure, failure, method, type Methods, responseTooLarge, type RpcFailure } from "./Method.js"
import {
  type Decoded,
  exactData,
  fail,
  fieldsOf,
  hash,
  isRecord,
  make,
  optional,
  ParamError,
  wrongType
} from "./ParamDecoder.js"

/** A node's limit for one request. */
const maxLogs = 10_000

/** How much data the logs of one answer may have, as bytes: more than one block can write. */
const maxData = 64_000_000

/** What a search for logs is for. */
export interface LogFilter {
  readonly blockHash: Hex | undefined
  readonly fromBlock: NumberSelector
  readonly toBlock: NumberSelector
  readonly addresses: ReadonlyArray<Hex>
  readonly topics: ReadonlyArray<ReadonlyArray<Hex> | undefined>
}

const decodeAddresses = (value: unknown): Decoded<LogFilter["addresses"]> => {
  if (value === undefined || value === null) return Either.right([])
  const decode = (text: string, place: string) =>
    Either.mapLeft(
      exactData(text, 20),
      ({ message }) => new ParamError(`invalid address${place}: ${message}`)
    )
  if (typeof value === "string") return Either.map(decode(value, ""), (address) => [address])
  if (!Array.isArray(value)) return fail("invalid addresses in query")
  return Either.all(
    value.map((item: unknown, index) =>
      typeof item === "string" ? decode(item, ` at index ${index}`) : fail(`non-string address at index ${index}`)
    )
  )
}

/** A position: null matches anything, and so does a list with a null in it. */
const decodePosition = (value: unknown): Decoded<LogFilter["topics"][number]> => {
  if (value === null) return Either.right(undefined)
  const items: ReadonlyArray<unknown> | undefined = typeof value === "string"
    ? [value]
    : Array.isArray(value)
    ? value
    : undefined
  if (items === undefined) return fail("invalid topic(s)")
  const topics = Either.all(
    items.filter((item) => item !== null).map((item) =>
      typeof item === "string" ? exactData(item, 32) : fail("invalid topic(s)")
    )
  )
  return items.includes(null) ? Either.map(topics, () => undefined) : topics
}

const decodeTopics = (value: unknown): Decoded<LogFilter["topics"]> => {
  if (value === undefined || value === null) return Either.right([])
  return Array.isArray(value)
    ? Either.all(value.map(decodePosition))
    : Either.mapLeft(wrongType(value, "[]interface {}"), (error) => error.inField("input.topics"))
}

const decodeEnd = (value: unknown): Decoded<NumberSelector> =>
  value === undefined || value === null ? Either.right("latest") : blockNumber.decode(value)

/** Decodes a filter. */
export const logFilter = make((value): Decoded<LogFilter> => {
  if (value !== null && !isRecord(value)) return wrongType(value, "filters.input")
  const { address, blockHash, fromBlock, toBlock, topics } = fieldsOf(
    value ?? {},
    "address",
    "blockHash",
    "fromBlock",
    "toBlock",
    "topics"
  )
  return Either.gen(function*() {
    const wanted = yield* Either.mapLeft(
      optional(hash).decode(blockHash),
      (error) => error.inField("input.blockHash")
    )
    if (wanted !== undefined && (fromBlock ?? toBlock ?? undefined) !== undefined) {
      yield* fail("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other")
    }
    return {
      // A hash of zeros is none.
      blockHash: wanted === zeroHash ? undefined : wanted,
      fromBlock: yield* decodeEnd(fromBlock),
      toBlock: yield* decodeEnd(toBlock),
      addresses: yield* decodeAddresses(address),
      topics: yield* decodeTopics(topics)
    }
  })
})

const noPendingLogs = failure("pending logs are not supported")

const isPending = ({ fromBlock, toBlock }: LogFilter): boolean => fromBlock === "pending" || toBlock === "pending"

/** Why a filter can't watch blocks to come; undefined if it can. A node searches an empty range, but watches none. */
export const whyNotWatched = (filter: LogFilter): RpcFailure | undefined => {
  if (isPending(filter)) return noPendingLogs
  const { fromBlock, toBlock } = filter
  return typeof toBlock === "bigint" && (typeof fromBlock !== "bigint" || fromBlock > toBlock)
    ? failure("invalid from and to block combination: from > to")
    : undefined
}

/** First and last block of a search. */
const rangeOf = (chain: Chain, filter: LogFilter): Effect.Effect<readonly [number, number], Failure> => {
  const { blockHash, fromBlock, toBlock } = filter
  if (isPending(filter)) return noPendingLogs
  return blockHash === undefined
    ? Effect.flatMap(chain.head, ({ number }) => {
      const height = (end: NumberSelector): bigint => typeof end === "bigint" ? end : BigInt(number)
      const [first, last] = [height(fromBlock), height(toBlock)] as const
      // A node reads the headers one by one, up to the first that is not there.
      return last > number && first <= last
        ? failure(`the header does not exist (block number: ${first > number ? first : number + 1})`)
        : Effect.succeed([Number(first), Number(last)] as const)
    })
    : Effect.flatMap(
      chain.block(blockHash),
      Option.match({
        onNone: () => failure(`the header does not exist (hash: ${blockHash})`),
        onSome: ({ number }) => Effect.succeed([number, number] as const)
      })
    )
}

/** The first and the last block that a filter of logs may report. */
export const within = ({ fromBlock, toBlock }: LogFilter, first: number, last: number): readonly [number, number] => [
  typeof fromBlock === "bigint" ? Math.max(first, Number(fromBlock)) : first,
  typeof toBlock === "bigint" ? Math.min(last, Number(toBlock)) : last
]

const sizeOf = (logs: ReadonlyArray<{ readonly data: Hex }>): number =>
  logs.reduce((sum, { data }) => sum + data.length / 2 - 1, 0)

/** The logs of a filter, in its own blocks; fails if there are too many. */
export const search = (chain: Chain, filter: LogFilter): Effect.Effect<ReadonlyArray<unknown>, Failure> =>
  Effect.gen(function*() {
    const [fromBlock, toBlock] = yield* rangeOf(chain, filter)
    if (fromBlock > toBlock) return []
    const { addresses, topics } = filter
    const logs = yield* chain.logs({ fromBlock, toBlock, addresses, topics, limit: maxLogs + 1 })
    if (logs.length > maxLogs) return yield* failure(`query returned more than ${maxLogs} results`)
    return sizeOf(logs) > maxData ? yield* responseTooLarge : logs.map(logOf)
  })

/** How many logs are told at once, unless one block has more. */
const mostTold = 100_000

/**
 * The logs of a filter in blocks that came, from `first` on, and the last of these blocks: where they have too many, it is one before
 * `last`.
 */
export const told = (
  chain: Chain,
  filter: LogFilter,
  first: number,
  last: number
): Effect.Effect<{ readonly logs: ReadonlyArray<unknown>; readonly last: number }, Failure> => {
  if (first > last) return Effect.succeed({ logs: [], last })
  const { addresses, topics } = filter
  const limit = first === last ? Number.MAX_SAFE_INTEGER : mostTold + 1
  return Effect.flatMap(
    chain.logs({ fromBlock: first, toBlock: last, addresses, topics, limit }),
    (logs) =>
      first < last && (logs.length > mostTold || sizeOf(logs) > maxData)
        ? told(chain, filter, first, Math.floor((first + last) / 2))
        : Effect.succeed({ logs: logs.map(logOf), last })
  )
}

/** Logs. A search that finds too many fails. */
export const logMethods: Methods = { getLogs: method([logFilter], search) }
