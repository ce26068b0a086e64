import type { Request } from "@effect-klaytn/core/Operation"
import type {
  getTransfers,
  getTransfersByEoa,
  getTransfersByTxHash,
  PageableTransfers,
  Transfers
} from "@effect-klaytn/history/HistoryApi"
import * as Kind from "@effect-klaytn/history/Kind"
import type { PresetId } from "@effect-klaytn/history/PresetId"
import * as Range from "@effect-klaytn/history/Range"
import { pageSize } from "@effect-klaytn/service/Route"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { DataParts } from "../../DataChain.js"
import type { TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { DataApi } from "./DataApi.js"
import { body as json, hexOf, onChain, type Reads } from "./reads.js"
import { transferPage } from "./transferPage.js"
import { wireTransfer } from "./wireTransfer.js"

type TransferFilters = Omit<Request<typeof getTransfers>["urlParams"], "presets">

/** A list of transfers: its filters, and what they mean for the store. */
interface Listing {
  readonly operation: string
  readonly search: TransferFilters
  readonly query: Omit<TransferQuery, "kinds" | "excludeZeroCoin" | "blocks" | "seconds" | "before" | "limit">
  /** Whether a coin transfer that triggered a token transfer belongs to the answer. */
  readonly isTrigger: ((coin: TransferRecord) => boolean) | undefined
}

const isZero = (record: TransferRecord): boolean => record.kind === "coin" && record.value === 0n

const resolveRange = ({ chain, refusals, stored }: Reads, range: Range.Range | undefined) =>
  Effect.gen(function*() {
    const { number: block, timestamp } = yield* stored(chain.head)
    // The clock of this machine may be behind that of the chain.
    const time = Math.max(yield* chain.now, timestamp)
    if (range === undefined) return { seconds: { from: time - Range.maxSeconds, to: time } }
    if (Range.problem(range, { time, block }) !== undefined) return yield* Effect.fail(refusals.range())
    return range._tag === "TimeRange"
      ? { seconds: { from: range.from, to: range.to ?? time } }
      : { blocks: { from: range.from, to: range.to ?? block } }
  })

const page = (reads: Reads, { isTrigger, operation, query, search }: Listing) =>
  Effect.gen(function*() {
    const { chain, coin, covered, cursors, positionOf, stored } = reads
    const kinds = search.kind === undefined ? undefined : [...new Set(search.kind.map(Kind.fromWord))].toSorted()
    const excludeZeroCoin = search["exclude-zero-klay"] === true
    const bounds = yield* resolveRange(reads, search.range)
    yield* covered.range(bounds)
    const identity = JSON.stringify([chain.chainId, operation, query, kinds, excludeZeroCoin, search.range])
    const after = yield* positionOf(identity, search.cursor)
    const hasTokens = kinds === undefined || kinds.some((kind) => kind !== "coin")
    const { next, records } = yield* stored(chain.inOneState(transferPage(chain, {
      query: { ...query, ...bounds, kinds, excludeZeroCoin },
      trigger: isTrigger !== undefined && hasTokens
        ? (record) => isTrigger(record) && !(excludeZeroCoin && isZero(record))
        : undefined,
      after,
      size: pageSize(search.size)
    })))
    const body: typeof PageableTransfers.Encoded = {
      items: records.map((record) => wireTransfer(record, coin)),
      cursor: next === undefined ? "" : cursors.seal(identity, next)
    }
    return json(body)
  })

/** The most presets of a search, and the most addresses that all of them have: each is a scan of its own. */
const maxPresets = 100
const maxAddresses = 10_000

const presetsOf = ({ chain, found, refusals }: Reads, given: ReadonlyArray<PresetId>) =>
  Effect.gen(function*() {
    const ids = new Set(given)
    if (ids.size > maxPresets || given.some((id) => !/^\d{1,15}$/.test(id))) {
      return yield* Effect.fail(refusals.query("invalidPresets"))
    }
    const presets = yield* Effect.forEach(ids, (id) => found(chain.preset(Number(id)), () => refusals.preset()))
    const query = {
      accounts: [...new Set(presets.flatMap(({ accounts }) => accounts))],
      contracts: [...new Set(presets.flatMap(({ contracts }) => contracts))]
    }
    // One preset is answered whatever its size is: the owner of the index has made it.
    return ids.size > 1 && query.accounts.length + query.contracts.length > maxAddresses
      ? yield* Effect.fail(refusals.query("invalidPresets"))
      : query
  })

const searchPresets = (reads: Reads, { urlParams: { presets, ...search } }: Request<typeof getTransfers>) =>
  Effect.gen(function*() {
    const query = yield* presetsOf(reads, presets)
    yield* reads.covered.accounts(query.accounts)
    yield* reads.covered.contracts(query.contracts)
    return yield* page(reads, { operation: "getTransfers", search, query, isTrigger: () => true })
  })

const searchAccount = (
  reads: Reads,
  { path: { address }, urlParams }: Request<typeof getTransfersByEoa>
) => {
  const { "ca-filter": contract, "from-only": fromOnly, "to-only": toOnly, ...search } = urlParams
  if (fromOnly === true && toOnly === true) return Effect.fail(reads.refusals.query("bothSides"))
  const account = hexOf(address)
  const filter = contract === undefined ? undefined : hexOf(contract)
  const side = fromOnly === true ? "from" : toOnly === true ? "to" : "either"
  const isOwn = ({ from, to }: TransferRecord) =>
    side === "from" ? from === account : side === "to" ? to === account : from === account || to === account
  const list = page(reads, {
    operation: "getTransfersByEoa",
    search,
    query: { accounts: [account], side, contractFilter: filter },
    isTrigger: contract !== undefined || search.kind?.some(isCoin) !== false ? undefined : isOwn
  })
  const { accounts, contracts } = reads.covered
  const ofAccount = accounts([account])
  // The transfers of a contract are enough for those between it and any account.
  const covered = filter === undefined ? ofAccount : Effect.orElse(contracts([filter]), () => ofAccount)
  return Effect.zipRight(covered, list)
}

const transaction = ({ chain, coin, covered, stored }: Reads, { path }: Request<typeof getTransfersByTxHash>) =>
  Effect.gen(function*() {
    const hash = hexOf(path.hash)
    const records = yield* stored(chain.transfersOf(hash))
    if (records.length === 0) yield* covered.withoutTransfers(hash)
    const body: typeof Transfers.Encoded = { items: records.map((record) => wireTransfer(record, coin)) }
    return json(body)
  })

const isCoin = (word: Kind.Word): boolean => Kind.fromWord(word) === "coin"

/** The three operations of transfer history, as the contract has them. */
export const historyLayer = (parts: DataParts) => {
  const on = onChain(parts)
  return HttpApiBuilder.group(DataApi, "history", (handlers) =>
    handlers
      .handleRaw("getTransfers", on(searchPresets))
      .handleRaw("getTransfersByEoa", on(searchAccount))
      .handleRaw("getTransfersByTxHash", on(transaction)))
}
