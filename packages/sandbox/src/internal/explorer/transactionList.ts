import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TransactionQuery, TransactionRecord } from "../../TransactionRecord.js"
import { nonceGap } from "../rpc/nonceGap.js"
import { transactionOf } from "../rpc/transactionForm.js"
import { type ChainView, limit, type Links, linksFor, pageOf } from "./ExplorerReads.js"
import { count, klay, none, outcome, printable, quiet, time, under } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainPage, type Column, pager, table } from "./layout.js"

/** A transaction type in words: `Fee Delegated Value Transfer`. */
export const typeWords = (typeInt: number): string =>
  TransactionType.fromTypeInt(typeInt)?.replace(/(?<=[a-z])(?=[A-Z])/g, " ") ?? `Type ${typeInt}`

/** A type for a table, and below it the fee payer, if there is one. */
const typeCell = ({ feePayer, feeRatio, typeInt }: TransactionRecord): Html =>
  html`${typeWords(typeInt).replace(/^Fee Delegated | With Ratio$/g, "")}${
    feePayer !== undefined && under(feeRatio === undefined ? "with a fee payer" : `fee payer pays ${feeRatio}%`)
  }`

/** Addresses whose names a list of transactions shows. */
export const partiesOfTransactions = (transactions: ReadonlyArray<TransactionRecord>): ReadonlyArray<Hex | undefined> =>
  transactions.flatMap(({ contractAddress, from, to }) => [from, to ?? contractAddress])

/** The receiver of a transaction: an account, or the contract that it creates. */
export const receiver = (links: Links, { contractAddress, to }: TransactionRecord): Html =>
  to !== undefined
    ? links.account(to)
    : contractAddress === undefined
    ? none
    : html`${quiet("new")} ${links.account(contractAddress)}`

/** A list of transactions. */
export const transactionTable = (
  links: Links,
  transactions: ReadonlyArray<TransactionRecord>,
  { empty = "No transactions yet.", isOfOne = false }: {
    readonly empty?: string
    /** Whether all are of one block, so that the block and its time are left out. */
    readonly isOfOne?: boolean
  } = {}
): Html => {
  const places: ReadonlyArray<Column<TransactionRecord>> = isOfOne
    ? [["Index", ({ transactionIndex }) => transactionIndex, "number"]]
    : [
      ["Block", ({ blockNumber }) => links.block(blockNumber)],
      ["Time", ({ timestamp }) => time(timestamp)]
    ]
  return table("Transactions", transactions, {
    key: ({ hash }) => hash,
    columns: [
      ["Transaction", ({ hash }) => links.transaction(hash)],
      ["Status", ({ status }) => outcome(status)],
      ...places,
      ["Type", typeCell],
      ["From", ({ from }) => links.account(from)],
      ["To", (record) => receiver(links, record)],
      ["Value", ({ value }) => klay(value), "number"]
    ],
    empty
  })
}

/** Where a page of transactions begins: `12-3` is the fourth of block 12. */
export const placeOf = ({ blockNumber, transactionIndex }: TransactionRecord): string =>
  `${blockNumber}-${transactionIndex}`

const maxWaiting = 25
const maxDropped = 10

const waiting = (view: ChainView) =>
  Effect.gen(function*() {
    const { chain } = view
    const hashes = yield* chain.pending
    if (hashes.length === 0) return undefined
    const known = yield* Effect.forEach(hashes.slice(0, maxWaiting), (hash) => chain.pendingTransaction(hash))
    const items = known.flatMap(Option.toArray)
    const links = yield* linksFor(view, items.map(({ from }) => from))
    const gaps = new Map(
      yield* Effect.forEach(items, (item) => Effect.map(nonceGap(chain, item), (gap) => [item.hash, gap] as const))
    )
    return card(
      `Pending: ${count(hashes.length)}`,
      table("Pending transactions", items, {
        key: ({ hash }) => hash,
        columns: [
          ["Transaction", ({ hash }) => links.transaction(hash)],
          ["Type", ({ typeInt }) => typeWords(typeInt)],
          ["From", ({ from }) => links.account(from)],
          ["Nonce", (known) => count(transactionOf(known).nonce)],
          ["Waits", ({ hash }) => gaps.get(hash) ?? "for a block"]
        ],
        empty: "None."
      })
    )
  })

const dropped = (view: ChainView) =>
  Effect.gen(function*() {
    const items = (yield* view.chain.dropped).slice(-maxDropped).reverse()
    if (items.length === 0) return undefined
    const links = yield* linksFor(view, items.map(({ from }) => from))
    return card(
      "Left the pool without a block",
      table("Dropped transactions", items, {
        key: ({ hash }) => hash,
        columns: [
          ["Transaction", ({ hash }) => links.transaction(hash)],
          ["From", ({ from }) => links.account(from)],
          ["Nonce", ({ nonce }) => count(nonce), "number"],
          ["Why", ({ reason }) => printable(reason)]
        ],
        empty: "None."
      })
    )
  })

/** All transactions of a chain; its first page also lists waiting and dropped ones. */
export const transactionsPage = (view: ChainView, begin: Pick<TransactionQuery, "before">) =>
  Effect.gen(function*() {
    const { items, last } = pageOf(yield* view.chain.transactions({ limit, ...begin }))
    const links = yield* linksFor(view, partiesOfTransactions(items))
    const list = card("All transactions", [
      transactionTable(links, items),
      pager(view.path("transactions"), begin.before, last && { before: placeOf(last) })
    ])
    const parts = begin.before === undefined ? [yield* waiting(view), list, yield* dropped(view)] : [list]
    return chainPage("transactions", "Transactions", "Newest first", ...parts)
  })
