/** Makes rows of a page of transfers. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Paged from "@effect-klaytn/core/Paged"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Transfer from "@effect-klaytn/history/Transfer"
import type { Plan, Source, Window } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import type { Equals, WindowState } from "../Sink.js"
import { digest } from "./digest.js"

const maxDecimals = 255
const uint256 = 2n ** 256n
/** The last second that a timestamp of every store can hold: 9999-12-31T23:59:59Z. */
const latestTime = 253_402_300_799
const zeroAddress = `0x${"0".repeat(40)}`

const iso = (time: UnixTime): string => `${new Date(time * 1000).toISOString().slice(0, -5)}Z`

/** Text that every database can hold: Postgres has no NUL, and UTF-8 no half of a surrogate pair. */
const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, "\ufffd")

const name = (text: string | undefined): string | null => text === undefined ? null : storable(text)

type Readable = Exclude<Transfer.Transfer, Transfer.UnknownTransfer>

const kindOf = {
  CoinTransfer: "coin",
  FtTransfer: "ft",
  NftTransfer: "nft",
  MtTransfer: "mt"
} as const

/** The transaction that a record is in. A transfer of coins is one itself. */
const transactionOf = (transfer: Readable) => transfer._tag === "CoinTransfer" ? transfer : transfer.transaction

/** What a record is compared by. */
const digestOf = (transfer: Readable): string => {
  const sides = `${transactionOf(transfer).transactionHash}|${transfer.from}|${transfer.to}`
  switch (transfer._tag) {
    case "CoinTransfer":
      return digest(`coin|${sides}|${transfer.value}`)
    case "FtTransfer":
      return digest(`ft|${transfer.value}|${sides}|${transfer.contract.address}`)
    case "NftTransfer":
      return digest(`nft|${transfer.tokenId}|${sides}|${transfer.contract.address}`)
    case "MtTransfer": {
      const { contract, ids, operator, values } = transfer
      return digest(`mt|${ids.join()}|${values.join()}|${operator}|${sides}|${contract.address}`)
    }
  }
}

/** The amount of a row as a decimal; `null` where the decimals are not known. */
export const decimalOf = (kind: Row["kind"], amount: bigint, tokenDecimals: number | undefined): string | null => {
  if (kind === "nft" || kind === "mt") return amount.toString()
  const decimals = kind === "coin" ? 18 : tokenDecimals
  const known = decimals !== undefined && decimals >= 0 && decimals <= maxDecimals
  return known ? Amount.toDecimal(amount, decimals) : null
}

type Moved = Pick<Row, "token_id" | "amount" | "amount_decimal">

const movedBy = (transfer: Readable): ReadonlyArray<Moved> => {
  switch (transfer._tag) {
    case "CoinTransfer":
    case "FtTransfer": {
      const { value } = transfer
      const decimals = transfer._tag === "CoinTransfer" ? undefined : transfer.contract.decimals
      return [{
        token_id: null,
        amount: value.toString(),
        amount_decimal: decimalOf(kindOf[transfer._tag], value, decimals)
      }]
    }
    case "NftTransfer":
      return [{ token_id: transfer.tokenId.toString(), amount: "1", amount_decimal: "1" }]
    case "MtTransfer":
      return transfer.ids.map((tokenId, part) => {
        const amount = (transfer.values[part] ?? 0n).toString()
        return { token_id: tokenId.toString(), amount, amount_decimal: amount }
      })
  }
}

const rowsOf = (
  transfer: Readable,
  digest: string,
  equal: number,
  account: Address | null,
  window: number
): ReadonlyArray<Row> => {
  const coin = transfer._tag === "CoinTransfer" ? transfer : undefined
  const contract = transfer._tag === "CoinTransfer" ? undefined : transfer.contract
  const transaction = transactionOf(transfer)
  const { blockNumber, timestamp } = transaction
  return movedBy(transfer).map(({ amount, amount_decimal, token_id }, part) => ({
    id: `${digest}-${equal}-${part}`,
    kind: kindOf[transfer._tag],
    block_number: blockNumber ?? null,
    transaction_index: coin?.transactionIndex ?? null,
    transaction_hash: transaction.transactionHash,
    equal_index: equal,
    part,
    timestamp: timestamp === undefined ? null : iso(timestamp),
    unix: timestamp ?? null,
    from_address: transfer.from,
    to_address: transfer.to,
    contract: contract?.address ?? null,
    token_name: name(contract?.name),
    token_symbol: name(contract?.symbol),
    token_decimals: contract?.decimals ?? null,
    token_id,
    amount,
    amount_decimal,
    status: coin === undefined ? "success" : coin.status === undefined ? null : String(coin.status),
    operator: transfer._tag === "MtTransfer" ? transfer.operator : null,
    sender: transaction.from,
    transaction_type: transaction.typeInt,
    fee: transaction.fee.toString(),
    fee_payer: transaction.feePayer ?? null,
    fee_ratio: transaction.feeRatio,
    account,
    window
  }))
}

/** Whether a record moves nothing, which anybody can have a contract log: an empty batch, from nobody to nobody. */
const isEmpty = (transfer: Readable): boolean =>
  transfer._tag === "MtTransfer" && transfer.ids.length === 0 ||
  transfer._tag !== "CoinTransfer" && transfer.from === zeroAddress && transfer.to === zeroAddress

/** Why a record that was decoded still can't be a row, if so: every store must be able to hold it. */
const problemOf = (transfer: Readable, account: Address | null): string | undefined => {
  if (account !== null && transfer.from !== account && transfer.to !== account) {
    return "the account searched is neither its sender nor its receiver"
  }
  const amounts = "values" in transfer ? transfer.values : "value" in transfer ? [transfer.value] : []
  if (amounts.some((amount) => amount >= uint256)) return "an amount is above 2^256 - 1"
  const ids = "ids" in transfer ? transfer.ids : "tokenId" in transfer ? [transfer.tokenId] : []
  if (ids.some((id) => id >= uint256)) return "a token ID is above 2^256 - 1"
  const { timestamp = 0 } = transactionOf(transfer)
  return timestamp > latestTime ? "the time is after the year 9999" : undefined
}

/** JSON of a raw record; numbers beyond 2^53 keep their digits as strings. */
const rawText = (raw: unknown): string =>
  JSON.stringify(raw, (_, value: unknown) => typeof value === "bigint" ? value.toString() : value) ?? "null"

/** The rows of a page. */
export interface Flattened {
  readonly rows: ReadonlyArray<Row>
  readonly rejected: ReadonlyArray<Rejected>
  /** Records left to another account of the export, of kinds that were not asked for, and records that move nothing. */
  readonly left: number
  /** Rows that are on the page already. */
  readonly repeated: number
  /** The IDs of rows at the beginning of the page that equal one of the page before. */
  readonly ambiguous: ReadonlySet<string>
  readonly equals: Equals
}

/** What the rows of a window have in common. */
export interface Context {
  readonly window: Window
  readonly source: Source
  /** The place of each account in the plan. */
  readonly order: ReadonlyMap<string, number>
  readonly kinds: ReadonlySet<string> | undefined
}

/**
 * Whether a record is left to another account's search: that of the first account of the plan which it belongs to. Both
 * searches return it, so it is in the export once, whatever the sink.
 */
const isOfEarlier = ({ from, to }: Readable, { order, source }: Context): boolean => {
  if (source._tag !== "Account") return false
  const own = order.get(source.address) ?? 0
  return (order.get(from) ?? own) < own || (order.get(to) ?? own) < own
}

type Place = Pick<Equals, "block" | "transaction">

/** Whether two records may have others between them: older records tell only their transaction. */
const isTogether = (one: Place | undefined, other: Place): boolean =>
  one !== undefined && (one.transaction === other.transaction || one.block !== null && one.block === other.block)

/** The rows of a page while they are made. */
class Flattening {
  readonly rows: Array<Row> = []
  readonly rejected: Array<Rejected> = []
  readonly ambiguous = new Set<string>()
  left = 0
  repeated = 0
  readonly #counts: Map<string, number>
  readonly #places: Map<string, Place>
  readonly #refused: Map<string, number>
  readonly #account: Address | null
  readonly #ended = new Set<number>()
  readonly #ids = new Set<string>()
  #last: Place
  #isContinued = true

  constructor(
    private readonly equals: Equals,
    private readonly cursor: string | undefined,
    private readonly context: Context
  ) {
    this.#counts = new Map(Object.entries(equals.records))
    this.#places = new Map([...this.#counts.keys()].map((digest) => [digest, equals]))
    this.#refused = new Map(Object.entries(equals.rejected))
    this.#account = context.source._tag === "Account" ? context.source.address : null
    this.#last = equals
  }

  add(item: Transfer.Transfer | Paged.Unreadable, position: number): void {
    if (Paged.isUnreadable(item)) return this.#reject(rawText(item.raw), position, item.reason)
    if (item._tag === "UnknownTransfer") {
      const reason = `a transfer of an unknown kind, ${JSON.stringify(item.transferType)}`
      return this.#reject(rawText(item.record), position, reason)
    }
    const { kinds } = this.context
    // The coin transfer behind a token transfer comes along even if only tokens were asked for.
    if (isEmpty(item) || kinds !== undefined && !kinds.has(kindOf[item._tag])) {
      this.left++
      return
    }
    const problem = problemOf(item, this.#account)
    if (problem !== undefined) return this.#reject(rawText(item), position, problem)
    if (isOfEarlier(item, this.context)) this.left++
    else this.#addTransfer(item)
  }

  #reject(raw: string, position: number, reason: string): void {
    const content = digest(raw)
    const equal = this.#refused.get(content) ?? 0
    this.#refused.set(content, equal + 1)
    const { index } = this.context.window
    const id = `${index}-${content}-${equal}`
    this.rejected.push({ id, window: index, cursor: name(this.cursor), position, reason, raw })
  }

  #addTransfer(item: Readable): void {
    const { blockNumber = null, transactionHash } = transactionOf(item)
    this.#moveTo({ block: blockNumber, transaction: transactionHash })
    const content = digestOf(item)
    const equal = this.#counts.get(content) ?? 0
    this.#counts.set(content, equal + 1)
    this.#places.set(content, this.#last)
    for (const row of rowsOf(item, content, equal, this.#account, this.context.window.index)) {
      if (this.#ids.has(row.id)) {
        this.repeated++
        continue
      }
      this.#ids.add(row.id)
      this.rows.push(row)
      if (this.#isContinued && Object.hasOwn(this.equals.records, content)) this.ambiguous.add(row.id)
    }
  }

  #moveTo(place: Place): void {
    const last = this.#last
    this.#last = place
    if (isTogether(last, place)) return
    this.#isContinued = false
    if (last.block !== null) this.#ended.add(last.block)
    // The block comes again: its records are counted from the first.
    if (place.block === null || !this.#ended.has(place.block)) return
    for (const [digest, { block }] of this.#places) if (block === place.block) this.#counts.delete(digest)
  }

  /** What the next page continues with. */
  end(): Equals {
    const records: Record<string, number> = {}
    for (const [digest, count] of this.#counts) {
      if (isTogether(this.#places.get(digest), this.#last)) records[digest] = count
    }
    return { ...this.#last, records, rejected: Object.fromEntries(this.#refused) }
  }
}

/**
 * Makes rows of the pages of a window. `equals` counts the equal records so far of the block where the page before ended,
 * and of the unreadable ones of the window. A list is in the order of blocks, so those counts continue only while the page
 * begins with that block. Where the block comes later, the service repeats records: they are counted from the first, and
 * get the IDs that they have already.
 */
export const flattener = ({ kinds, sources }: Plan, window: Window) => {
  const accounts = new Set(sources.flatMap((one) => one._tag === "Account" ? [one.address] : []))
  const context: Context = {
    window,
    source: sources[window.source] ?? { _tag: "Presets", presets: [] },
    order: new Map([...accounts].map((address, place) => [address, place])),
    kinds: kinds === undefined ? undefined : new Set(kinds)
  }
  return (
    items: ReadonlyArray<Transfer.Transfer | Paged.Unreadable>,
    { checkpoint, equals }: Pick<WindowState, "checkpoint" | "equals">
  ): Flattened => {
    const page = new Flattening(equals, checkpoint?.cursor, context)
    for (const [position, item] of items.entries()) page.add(item, position)
    const { ambiguous, left, rejected, repeated, rows } = page
    return { rows, rejected, left, repeated, ambiguous, equals: page.end() }
  }
}
