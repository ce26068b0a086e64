/** Where an answer contradicts its question: a node, or what stands before it, answered about something else. */
import type { Mismatch } from "@effect-klaytn/core/ServiceError"
import * as Predicate from "effect/Predicate"

/** A parameter, by its place, and the members of the answer that name what it asks for: one of those that are there does. */
type Name = readonly [place: number, ...members: ReadonlyArray<string>]

const byNumber: ReadonlyArray<Name> = [[0, "number"]]
const byHash: ReadonlyArray<Name> = [[0, "hash"]]
const receiptByHash: ReadonlyArray<Name> = [[0, "transactionHash"]]

/** What the answers of methods name of their questions. The answer of a list is compared one by one. */
const names: { readonly [method: string]: ReadonlyArray<Name> } = {
  getBlockByNumber: byNumber,
  getHeaderByNumber: byNumber,
  getBlockWithConsensusInfoByNumber: byNumber,
  getBlockByHash: byHash,
  getHeaderByHash: byHash,
  getBlockWithConsensusInfoByHash: byHash,
  getBlockReceipts: [[0, "blockHash", "blockNumber"]],
  getTransactionByHash: byHash,
  // A node without that index takes it for the hash of a transaction.
  getTransactionBySenderTxHash: [[0, "senderTxHash", "hash"]],
  getTransactionByBlockHashAndIndex: [[0, "blockHash"], [1, "transactionIndex"]],
  getTransactionByBlockNumberAndIndex: [[0, "blockNumber"], [1, "transactionIndex"]],
  getTransactionReceipt: receiptByHash,
  getTransactionReceiptInCache: receiptByHash,
  getTransactionReceiptBySenderTxHash: [[0, "senderTxHash", "transactionHash"]],
  getProof: [[0, "address"]]
}

/** Hex without what may differ between two texts of the same value; `undefined` for anything else, such as a tag. */
const hexOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.startsWith("0x") ? value.toLowerCase().replace(/^0x0*/, "") : undefined

/** The member of a record that names something else than was asked for. */
const otherName = (
  rules: ReadonlyArray<Name>,
  asked: ReadonlyArray<unknown>,
  record: unknown
): string | undefined => {
  if (!Predicate.isRecord(record)) return undefined
  for (const [place, ...members] of rules) {
    const wanted = hexOf(asked[place])
    if (wanted === undefined || members.some((member) => hexOf(record[member]) === wanted)) continue
    // What is absent is the decoder's to refuse.
    const found = members.filter((member) => record[member] !== undefined)
    const isHash = (value: unknown) => hexOf(value) !== undefined && String(value).length === 66
    if (found.length > 0) return found.find((member) => isHash(record[member]) === isHash(asked[place])) ?? found[0]
  }
  return undefined
}

const inNames = (
  rules: ReadonlyArray<Name>,
  asked: ReadonlyArray<unknown>,
  result: unknown
): Mismatch | undefined => {
  const records = Array.isArray(result) ? result : [result]
  for (const [at, record] of records.entries()) {
    const member = otherName(rules, asked, record)
    if (member !== undefined) {
      const path = Array.isArray(result) ? ["result", at, member] : ["result", member]
      return { path, expected: "what was asked for", actual: "another one" }
    }
  }
  return undefined
}

/** What a search for logs names, as its caller gives it or as it is sent. */
interface LogSearch {
  readonly address?: unknown
  readonly topics?: unknown
}

interface Placed {
  readonly address?: unknown
  readonly topics?: unknown
}

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : [value]

const lowerCase = (value: unknown): unknown => typeof value === "string" ? value.toLowerCase() : value

/** Whether a log has one of the wanted values: of one, of any of a list, or of any at all. */
const oneOf = (wanted: unknown): (value: unknown) => boolean => {
  const all = new Set(listOf(wanted).map(lowerCase))
  return all.has(null) || all.has(undefined) ? () => true : (value) => all.has(value) || all.has(lowerCase(value))
}

/** Says which member of a log a search did not ask for. As a node matches: the log has as many topics as the filter at least. */
const unmatched = ({ address, topics = [] }: LogSearch): (log: Placed) => "address" | "topics" | undefined => {
  const isAddress = oneOf(address)
  const areTopics = listOf(topics ?? []).map(oneOf)
  return (log) => {
    if (!isAddress(log.address)) return "address"
    const has = listOf(log.topics)
    return has.length >= areTopics.length && areTopics.every((isTopic, place) => isTopic(has[place]))
      ? undefined
      : "topics"
  }
}

/** Whether a log is one of those that a search is for. */
export const isWanted = (search: LogSearch): (log: Placed) => boolean => {
  const wrong = unmatched(search)
  return (log) => wrong(log) === undefined
}

/** A number from its text; none if the text is a tag, or absent. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.startsWith("0x") ? Number(value) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}

/** Logs are mined, of the blocks and with the values that were asked for, each once and in the order of the chain. */
const inLogs = (filter: { readonly [name: string]: unknown }, logs: ReadonlyArray<unknown>): Mismatch | undefined => {
  const { blockHash, fromBlock, toBlock } = filter
  const hash = hexOf(blockHash)
  const first = numberOf(fromBlock) ?? 0
  const last = numberOf(toBlock) ?? Number.POSITIVE_INFINITY
  const otherMember = unmatched(filter)
  let [lastBlock, lastIndex] = [-1, -1]
  for (const [at, log] of logs.entries()) {
    if (!Predicate.isRecord(log)) continue
    const wrong = (member: string, expected: string, actual: string) => ({
      path: ["result", at, member],
      expected,
      actual
    })
    if (log["removed"] === true) return wrong("removed", "false: blocks are final", "true")
    const block = numberOf(log["blockNumber"])
    if (block === undefined) return wrong("blockNumber", "the block of the log", "none")
    if (block < first || block > last) return wrong("blockNumber", "a block that was asked for", "another one")
    if (hash !== undefined && hexOf(log["blockHash"]) !== hash) {
      return wrong("blockHash", "the block that was asked for", "another one")
    }
    const member = otherMember(log)
    if (member !== undefined) return wrong(member, "what was asked for", "something else")
    const index = numberOf(log["logIndex"]) ?? Number.POSITIVE_INFINITY
    if (block < lastBlock || (block === lastBlock && index <= lastIndex)) {
      return wrong("logIndex", "the place of a log after the one before", "one that is not after it")
    }
    ;[lastBlock, lastIndex] = [block, index]
  }
  return undefined
}

type Check = (params: ReadonlyArray<unknown>, result: unknown) => Mismatch | undefined

const ofLogs: Check = ([filter], result) =>
  Predicate.isRecord(filter) && Array.isArray(result) ? inLogs(filter, result) : undefined

const namespaces = ["klay", "kaia", "eth"]

const checks: ReadonlyMap<string, Check> = new Map(
  namespaces.flatMap((namespace) => [
    ...Object.entries(names).map(([method, rules]) =>
      [`${namespace}_${method}`, (params, result) => inNames(rules, params, result)] satisfies [string, Check]
    ),
    [`${namespace}_getLogs`, ofLogs] satisfies [string, Check]
  ])
)

/** Where a result of a method contradicts the parameters; `undefined` if it doesn't, or if the method's answers name nothing of them. */
export const find = (
  method: string,
  params: () => ReadonlyArray<unknown>,
  result: unknown
): Mismatch | undefined => checks.get(method)?.(params(), result)
