import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChainId } from "../../Chain.js"
import type { StoreFailure } from "../../ChainError.js"
import type { TransactionRecord } from "../../TransactionRecord.js"
import { type ExplorerReads, type Links, linksFor, pageOf, pageSize } from "./ExplorerReads.js"
import { count, klay, outcome, printable, time } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, heading, type Page, pager, pathOf, table } from "./layout.js"

/** A transaction type in words: `Fee Delegated Value Transfer`. */
export const typeWords = (typeInt: number): string =>
  TransactionType.fromTypeInt(typeInt)?.replace(/(?<=[a-z])(?=[A-Z])/g, " ") ?? `Type ${typeInt}`

/** A type for a table: what it does, and below who pays for it if that is not the sender. */
const typeCell = ({ feePayer, feeRatio, typeInt }: TransactionRecord): Html =>
  html`${typeWords(typeInt).replace(/^Fee Delegated | With Ratio$/g, "")}${
    feePayer !== undefined &&
    html`<small class="under">${feeRatio === undefined ? "with a fee payer" : `fee payer pays ${feeRatio}%`}</small>`
  }`

/** Addresses whose names a list of transactions shows. */
export const partiesOfTransactions = (transactions: ReadonlyArray<TransactionRecord>): ReadonlyArray<Hex | undefined> =>
  transactions.flatMap(({ contractAddress, from, to }) => [from, to ?? contractAddress])

/** Whom a transaction is for: an account, or the contract that it creates. */
export const receiver = (links: Links, { contractAddress, to }: TransactionRecord): Html =>
  to !== undefined
    ? links.account(to)
    : contractAddress === undefined
    ? html`<span class="quiet">—</span>`
    : html`<span class="quiet">new</span> ${links.account(contractAddress)}`

/** A list of transactions. */
export const transactionTable = (
  links: Links,
  transactions: ReadonlyArray<TransactionRecord>,
  { empty = "No transactions yet.", isOfOne = false }: {
    readonly empty?: string
    /** Whether all are of one block, which need not be named then. */
    readonly isOfOne?: boolean
  } = {}
): Html =>
  table(
    "Transactions",
    [
      { title: "Transaction" },
      { title: "Status" },
      ...(isOfOne ? [{ title: "Index", isNumber: true }] : [{ title: "Block" }, { title: "Time" }]),
      { title: "Type" },
      { title: "From" },
      { title: "To" },
      { title: "Value", isNumber: true }
    ],
    transactions.map((record) => ({
      key: record.hash,
      cells: [
        links.transaction(record.hash),
        outcome(record.status),
        ...(isOfOne
          ? [record.transactionIndex]
          : [links.block(record.blockNumber, count(record.blockNumber)), time(record.timestamp)]),
        typeCell(record),
        links.account(record.from),
        receiver(links, record),
        klay(record.value)
      ]
    })),
    empty
  )

/** Where a page of transactions begins: `12-3` is the fourth of block 12. */
export const placeOf = ({ blockNumber, transactionIndex }: TransactionRecord): string =>
  `${blockNumber}-${transactionIndex}`

const maxWaiting = 25
const maxDropped = 10

const waiting = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Html, StoreFailure> =>
  Effect.gen(function*() {
    const chain = reads.chain(chainId)
    const hashes = yield* chain.pending
    if (hashes.length === 0) return html``
    const known = yield* Effect.forEach(hashes.slice(0, maxWaiting), (hash) => chain.pendingTransaction(hash))
    const items = known.flatMap(Option.toArray)
    const links = yield* linksFor(reads, chainId, items.map(({ from }) => from))
    return card(`Waiting for a block: ${count(hashes.length)}`, [
      table(
        "Waiting transactions",
        [{ title: "Transaction" }, { title: "Type" }, { title: "From" }],
        items.map(({ from, hash, typeInt }) => ({
          key: hash,
          cells: [links.transaction(hash), typeWords(typeInt), links.account(from)]
        })),
        "None."
      )
    ])
  })

const dropped = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Html, StoreFailure> =>
  Effect.gen(function*() {
    const items = (yield* reads.chain(chainId).dropped).slice(-maxDropped).reverse()
    if (items.length === 0) return html``
    const links = yield* linksFor(reads, chainId, items.map(({ from }) => from))
    return card("Left the pool without a block", [
      table(
        "Dropped transactions",
        [{ title: "Transaction" }, { title: "From" }, { title: "Nonce", isNumber: true }, { title: "Why" }],
        items.map(({ from, hash, nonce, reason }) => ({
          key: hash,
          cells: [links.transaction(hash), links.account(from), count(nonce), printable(reason)]
        })),
        "None."
      )
    ])
  })

/** All transactions of a chain, those that wait, and those that were dropped. */
export const transactionsPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  { before }: { readonly before?: { readonly block: number; readonly index: number } | undefined }
): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const { items, last } = pageOf(
      yield* reads.chain(chainId).transactions({ limit: pageSize + 1, ...(before !== undefined && { before }) })
    )
    const links = yield* linksFor(reads, chainId, partiesOfTransactions(items))
    const isFirst = before === undefined
    return {
      title: "Transactions",
      section: "transactions",
      body: html`${heading("Chain", "Transactions", "Newest first")}${isFirst && (yield* waiting(reads, chainId))}${
        card("All transactions", [
          transactionTable(links, items),
          pager(pathOf(chainId, "transactions"), { newer: !isFirst, older: last && { before: placeOf(last) } })
        ])
      }${isFirst && (yield* dropped(reads, chainId))}`
    }
  })
