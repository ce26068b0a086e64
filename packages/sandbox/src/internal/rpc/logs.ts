import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { LogRecord } from "../../TransactionRecord.js"
import { blockNumber, type NumberSelector } from "./BlockSelector.js"
import { type Failure, method, type Methods } from "./Method.js"
import type { NodeChain } from "./NodeChain.js"
import { exactData, hash, isRecord, kindOf, reader, Unreadable } from "./Reader.js"
import { failed } from "./RpcFailure.js"
import { logOf } from "./transactionForm.js"

/** What a node gives at once. */
const mostLogs = 10_000

interface LogFilter {
  readonly blockHash: Hex | undefined
  readonly fromBlock: NumberSelector
  readonly toBlock: NumberSelector
  readonly addresses: ReadonlyArray<Hex>
  readonly topics: ReadonlyArray<ReadonlyArray<Hex> | undefined>
}

const readAddresses = (value: unknown): ReadonlyArray<Hex> | Unreadable => {
  if (value === undefined || value === null) return []
  if (typeof value === "string") {
    const one = exactData(value, 20, "address")
    return one.startsWith("0x") && one.length === 42
      ? [`0x${one.slice(2)}`]
      : new Unreadable(`invalid address: ${one}`)
  }
  if (!Array.isArray(value)) return new Unreadable("invalid addresses in query")
  const addresses: Array<Hex> = []
  for (const [index, item] of value.entries()) {
    if (typeof item !== "string") return new Unreadable(`non-string address at index ${index}`)
    const one = exactData(item, 20, "address")
    if (!one.startsWith("0x") || one.length !== 42) return new Unreadable(`invalid address at index ${index}: ${one}`)
    addresses.push(`0x${one.slice(2)}`)
  }
  return addresses
}

const readTopic = (value: string): Hex | Unreadable => {
  const topic = exactData(value, 32, "topic")
  return topic.startsWith("0x") && topic.length === 66 ? `0x${topic.slice(2)}` : new Unreadable(topic)
}

/** A position: nothing matches anything, and so does a list with a null in it. */
const readPosition = (value: unknown): ReadonlyArray<Hex> | undefined | Unreadable => {
  if (value === null) return undefined
  if (typeof value === "string") {
    const topic = readTopic(value)
    return topic instanceof Unreadable ? topic : [topic]
  }
  if (!Array.isArray(value)) return new Unreadable("invalid topic(s)")
  const topics: Array<Hex> = []
  let isAny = false
  for (const item of value) {
    if (item === null) {
      isAny = true
      continue
    }
    if (typeof item !== "string") return new Unreadable("invalid topic(s)")
    const topic = readTopic(item)
    if (topic instanceof Unreadable) return topic
    topics.push(topic)
  }
  return isAny ? undefined : topics
}

const readTopics = (value: unknown): LogFilter["topics"] | Unreadable => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return new Unreadable(kindOf(value), "[]interface {}")
  const positions: Array<ReadonlyArray<Hex> | undefined> = []
  for (const item of value) {
    const position = readPosition(item)
    if (position instanceof Unreadable) return position
    positions.push(position)
  }
  return positions
}

const readEnd = (value: unknown): NumberSelector | Unreadable =>
  value === undefined || value === null ? "latest" : blockNumber.read(value)

const logFilter = reader((value): LogFilter | Unreadable => {
  if (value !== null && !isRecord(value)) return new Unreadable(kindOf(value), "filters.input")
  const given = value ?? {}
  const wanted = given["blockHash"] ?? undefined
  const blockHash = wanted === undefined ? undefined : hash.read(wanted)
  if (blockHash instanceof Unreadable) return new Unreadable(blockHash.text("input.blockHash"))
  if (blockHash !== undefined && (given["fromBlock"] ?? given["toBlock"] ?? undefined) !== undefined) {
    return new Unreadable("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other")
  }
  const fromBlock = readEnd(given["fromBlock"])
  if (fromBlock instanceof Unreadable) return fromBlock
  const toBlock = readEnd(given["toBlock"])
  if (toBlock instanceof Unreadable) return toBlock
  const addresses = readAddresses(given["address"])
  if (addresses instanceof Unreadable) return addresses
  const topics = readTopics(given["topics"])
  return topics instanceof Unreadable ? topics : { blockHash, fromBlock, toBlock, addresses, topics }
})

/** First and last block of a search. Nothing is in the block that is being built, so it ends with the newest. */
const rangeOf = (
  chain: NodeChain,
  filter: LogFilter
): Effect.Effect<readonly [first: number, last: number], Failure> => {
  const { blockHash, fromBlock, toBlock } = filter
  return blockHash === undefined
    ? Effect.map(chain.head, ({ number }) => {
      const height = (end: NumberSelector): number => typeof end === "bigint" ? Number(end) : number
      return [height(fromBlock), Math.min(height(toBlock), number)] as const
    })
    : Effect.flatMap(chain.block(blockHash), (block) =>
      block._tag === "None"
        ? Effect.fail(failed("unknown block"))
        : Effect.succeed([block.value.number, block.value.number] as const))
}

const search = (chain: NodeChain, filter: LogFilter): Effect.Effect<ReadonlyArray<LogRecord>, Failure> =>
  Effect.flatMap(rangeOf(chain, filter), ([first, last]) =>
    first > last
      ? Effect.succeed([])
      : chain.logs({
        fromBlock: first,
        toBlock: last,
        addresses: filter.addresses,
        topics: filter.topics,
        limit: mostLogs + 1
      }))

/** Logs. A search that finds too many gives none of them. */
export const logMethods: Methods = {
  getLogs: method([logFilter], (chain, filter) =>
    Effect.flatMap(search(chain, filter), (logs) =>
      logs.length > mostLogs
        ? Effect.fail(failed(`query returned more than ${mostLogs} results`))
        : Effect.succeed(logs.map(logOf))))
}
