import type { InternalError, NotFound } from "@effect-klaytn/core/ErrorBody"
import type { Request } from "@effect-klaytn/core/Operation"
import { RequestChain } from "@effect-klaytn/core/OperationApi"
import type { getTransfers, getTransfersByEoa, PageableTransfers, Transfers } from "@effect-klaytn/history/HistoryApi"
import * as Kind from "@effect-klaytn/history/Kind"
import type { PresetId } from "@effect-klaytn/history/PresetId"
import * as Range from "@effect-klaytn/history/Range"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { pageSize } from "../../Cursors.js"
import type { DataChain } from "../../DataChain.js"
import type { DataParts } from "../../DataService.js"
import type { PresetRecord, TransferQuery, TransferRecord } from "../../TransferRecord.js"
import { coverage } from "./coverage.js"
import { DataApi } from "./DataApi.js"
import { make as paging } from "./paging.js"
import { transferPage } from "./transferPage.js"
import { wireTransfer } from "./wireTransfer.js"

type EoaSearch = Request<typeof getTransfersByEoa>["urlParams"]
type PresetSearch = Request<typeof getTransfers>["urlParams"]
type TransferFilters = Omit<PresetSearch, "presets">

/** A list of transfers: its filters, and what they mean for the store. */
interface Listing {
  readonly operation: string
  readonly search: TransferFilters
  readonly query: Omit<TransferQuery, "kinds" | "excludeZeroCoin" | "blocks" | "seconds" | "before" | "limit">
  /** Whether a coin transfer that triggered a token transfer belongs to the answer. */
  readonly isTrigger: ((coin: TransferRecord) => boolean) | undefined
}

const isZero = (record: TransferRecord): boolean => record.kind === "coin" && record.value === 0n

/** What the operations work with. */
type Context = DataParts & ReturnType<typeof paging> & { readonly covered: ReturnType<typeof coverage> }

const resolveRange = ({ refusals, stored }: Context, chain: DataChain, range: Range.Range | undefined) =>
  Effect.gen(function*() {
    const time = yield* chain.now
    const { number: block } = yield* stored(chain.head)
    if (range === undefined) return { seconds: { from: time - Range.maxSeconds, to: time } }
    if (Range.problem(range, { time, block }) !== undefined) return yield* Effect.fail(refusals.range())
    return range._tag === "TimeRange"
      ? { seconds: { from: range.from, to: range.to ?? time } }
      : { blocks: { from: range.from, to: range.to ?? block } }
  })

const page = (context: Context, chain: DataChain, { isTrigger, operation, query, search }: Listing) =>
  Effect.gen(function*() {
    const { coin, covered, cursors, positionOf, stored } = context
    const kinds = search.kind === undefined ? undefined : [...new Set(search.kind.map(Kind.fromWord))].toSorted()
    const excludeZeroCoin = search["exclude-zero-klay"] === true
    const bounds = yield* resolveRange(context, chain, search.range)
    yield* covered.range(chain, bounds)
    const identity = JSON.stringify([chain.chainId, operation, query, kinds, excludeZeroCoin, search.range])
    const after = yield* positionOf(identity, search.cursor)
    const hasTokens = kinds === undefined || kinds.some((kind) => kind !== "coin")
    const { next, records } = yield* stored(transferPage(chain, {
      query: { ...query, ...bounds, ...(kinds !== undefined && { kinds }), excludeZeroCoin },
      trigger: isTrigger !== undefined && hasTokens
        ? (record) => isTrigger(record) && !(excludeZeroCoin && isZero(record))
        : undefined,
      after,
      size: pageSize(search.size)
    }))
    const body: typeof PageableTransfers.Encoded = {
      items: records.map((record) => wireTransfer(record, coin)),
      cursor: next === undefined ? "" : cursors.seal(identity, next)
    }
    return HttpServerResponse.unsafeJson(body)
  })

const presetsOf = ({ refusals, stored }: Context, chain: DataChain, ids: ReadonlyArray<PresetId>) =>
  Effect.gen(function*() {
    if (!ids.every((id) => /^\d{1,15}$/.test(id))) return yield* Effect.fail(refusals.query("invalidPresets"))
    return yield* Effect.forEach(ids, (id): Effect.Effect<PresetRecord, NotFound | InternalError> =>
      Effect.flatMap(
        stored(chain.preset(Number(id))),
        Option.match({ onNone: () => Effect.fail(refusals.preset()), onSome: Effect.succeed })
      ))
  })

const searchPresets = (context: Context, chain: DataChain, { presets, ...search }: PresetSearch) =>
  Effect.gen(function*() {
    const found = yield* presetsOf(context, chain, presets)
    const query = {
      accounts: found.flatMap(({ accounts }) => accounts),
      contracts: found.flatMap(({ contracts }) => contracts)
    }
    yield* context.covered.accounts(chain, query.accounts)
    yield* context.covered.contracts(chain, query.contracts)
    return yield* page(context, chain, { operation: "getTransfers", search, query, isTrigger: () => true })
  })

const searchAccount = (
  context: Context,
  chain: DataChain,
  address: string,
  { "ca-filter": contract, "from-only": fromOnly, "to-only": toOnly, ...search }: EoaSearch
) => {
  if (fromOnly === true && toOnly === true) return Effect.fail(context.refusals.query("bothSides"))
  const account = hexOf(address)
  const side = fromOnly === true ? "from" : toOnly === true ? "to" : "either"
  const isOwn = ({ from, to }: TransferRecord) =>
    side === "from" ? from === account : side === "to" ? to === account : from === account || to === account
  const list = page(context, chain, {
    operation: "getTransfersByEoa",
    search,
    query: {
      accounts: [account],
      side,
      ...(contract !== undefined && { contractFilter: hexOf(contract) })
    },
    isTrigger: contract !== undefined || search.kind?.some(isCoin) !== false ? undefined : isOwn
  })
  const ofAccount = context.covered.accounts(chain, [account])
  // The transfers of a contract are enough for those between it and any account.
  return contract === undefined
    ? Effect.zipRight(ofAccount, list)
    : Effect.zipRight(Effect.orElse(context.covered.contracts(chain, [hexOf(contract)]), () => ofAccount), list)
}

const transaction = ({ coin, covered, stored }: Context, chain: DataChain, hash: string) =>
  Effect.gen(function*() {
    const records = yield* stored(chain.transfersOf(hexOf(hash)))
    if (records.length === 0) yield* covered.withoutTransfers(chain, hexOf(hash))
    const body: typeof Transfers.Encoded = { items: records.map((record) => wireTransfer(record, coin)) }
    return HttpServerResponse.unsafeJson(body)
  })

const isCoin = (word: Kind.Word): boolean => Kind.fromWord(word) === "coin"

const hexOf = (text: string): `0x${string}` => `0x${text.slice(2)}`

/** The three operations of transfer history, as the contract has them. */
export const historyLayer = (parts: DataParts) => {
  const shared = paging(parts)
  const context = { ...parts, ...shared, covered: coverage({ ...parts, ...shared }) }
  const chain = Effect.map(RequestChain, parts.chain)
  return HttpApiBuilder.group(DataApi, "history", (handlers) =>
    handlers
      .handleRaw(
        "getTransfers",
        ({ urlParams }) => Effect.flatMap(chain, (on) => searchPresets(context, on, urlParams))
      )
      .handleRaw(
        "getTransfersByEoa",
        ({ path, urlParams }) => Effect.flatMap(chain, (on) => searchAccount(context, on, path.address, urlParams))
      )
      .handleRaw(
        "getTransfersByTxHash",
        ({ path }) => Effect.flatMap(chain, (on) => transaction(context, on, path.hash))
      ))
}
