import type { CustodyFailure } from "@effect-klaytn/custody/CustodyError"
import { compressedOf, type Pool } from "@effect-klaytn/custody/WalletRecord"
import { attempt } from "@effect-klaytn/local-chain/ChainError"
import { sharesOf } from "@effect-klaytn/transaction/TransactionView"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { newestState } from "../newestAccount.js"
import { type ChainView, copied, limit, linksFor, type Missing, orMissing, pageOf } from "./ExplorerReads.js"
import { count, klay, klayAndPeb, none, pill, printable, quiet, time, wide } from "./format.js"
import { html } from "./Html.js"
import { card, chainPage, facts, heading, link, type Page, page, pager, table } from "./layout.js"
import { beforeRow } from "./parameters.js"
import { typeWords } from "./transactionList.js"

const typeNames = { "account-pool": "Accounts", "feepayer-pool": "Fee payers", "key-pool": "Keys" } as const

const statusTones = { enabled: "good", disabled: "warn", corrupted: "bad" } as const

const maxFees = 10

/** The pools of a chain's wallet, and the fees that the service's own fee payer has paid. */
export const walletPage = (view: ChainView) =>
  Effect.gen(function*() {
    const { wallet } = view
    const pools = yield* Effect.flatMap(
      wallet.store.pools,
      Effect.forEach((pool) =>
        Effect.map(
          pool.type === "key-pool" ? Effect.succeed(undefined) : wallet.store.countAccounts(pool),
          (size) => ({ pool, size })
        )
      )
    )
    const feePayer = wallet.globalFeePayer.address
    const { balance } = yield* newestState(view.chain, feePayer)
    const fees = yield* attempt("fees", () => view.reader.transactionsPaidBy({ feePayer, limit: maxFees }))
    const links = yield* linksFor(view, fees.map(({ from }) => from))
    const poolTable = table("Pools", pools, {
      key: ({ pool }) => pool.id,
      columns: [
        ["Pool", ({ pool }) => html`<b>${link(view.path("wallet", pool.type, pool.name), pool.name)}</b>`],
        ["Contents", ({ pool }) => typeNames[pool.type]],
        ["In it", ({ size }) => size === undefined ? none : count(size), "number"],
        ["Created", ({ pool: { createdAt } }) => createdAt === 0 ? quiet("from the start") : time(createdAt)],
        ["Resource name", ({ pool }) => copied(wallet.krn(pool))]
      ],
      empty: "There are none."
    })
    const feeTable = table("Fees it has paid", fees, {
      key: ({ hash }) => hash,
      columns: [
        ["Transaction", ({ hash }) => links.transaction(hash)],
        ["Time", ({ timestamp }) => time(timestamp)],
        ["From", ({ from }) => links.account(from)],
        ["Type", ({ typeInt }) => typeWords(typeInt)],
        ["Paid", (record) => klay(sharesOf(record).byFeePayer), "number"]
      ],
      empty: "It has not paid a fee yet."
    })
    const payer = facts([["Account", links.fullAccount(feePayer)], ["Balance", klayAndPeb(balance)]])
    return chainPage(
      "wallet",
      "Wallet",
      "The pools of the service's wallet; private keys are never shown",
      card("Pools", poolTable),
      card("The service's own fee payer", [payer, feeTable])
    )
  })

/** The accounts of a pool, and where the next page of them begins. */
const accountList = ({ path, wallet }: ChainView, pool: Pool, before: number | undefined) =>
  Effect.gen(function*() {
    const { items, last } = pageOf(yield* wallet.accounts(pool, { limit, before }))
    const rows = yield* Effect.forEach(
      items,
      (account) => Effect.map(wallet.status(account), (status) => ({ ...account, status }))
    )
    const list = table("Accounts of the pool", rows, {
      key: ({ id }) => id,
      columns: [
        ["Address", ({ address }) => link(path("accounts", address), wide(address))],
        ["Status", ({ status }) => pill(statusTones[status], status)],
        [
          "Signs with",
          ({ multiSig }) =>
            multiSig === undefined ? "one key" : `${multiSig.keys.length} keys, threshold ${multiSig.threshold}`
        ],
        ["Public key", ({ key }) => wide(compressedOf(key))],
        ["Created", ({ createdAt }) => time(createdAt)]
      ],
      empty: "No accounts yet."
    })
    return [list, last && { before: last.id }] as const
  })

/** The same for keys. */
const keyList = ({ wallet }: ChainView, pool: Pool, before: number | undefined) =>
  Effect.map(wallet.keys(pool, { limit, before }), (read) => {
    const { items, last } = pageOf(read)
    const list = table("Keys of the pool", items, {
      key: ({ id }) => id,
      columns: [["Public key", (key) => copied(compressedOf(key))], ["ID", (key) => copied(wallet.keyId(key))]],
      empty: "No keys yet."
    })
    return [list, last && { before: last.id }] as const
  })

/** A pool of the wallet, and where the page of its list begins. */
export const poolView = Schema.Struct({ type: Schema.String, pool: Schema.String, ...beforeRow })

/** A pool of the wallet: its accounts or keys. */
export const poolPage = (
  view: ChainView,
  { before, pool: name, type }: typeof poolView.Type
): Effect.Effect<Page, CustodyFailure | Missing> =>
  Effect.gen(function*() {
    const { wallet } = view
    const pool = yield* orMissing(
      Effect.map(wallet.store.pools, Array.findFirst((one) => one.type === type && one.name === name)),
      "No such pool",
      `This wallet has no ${printable(type)} ${printable(name)}.`
    )
    const [list, older] = yield* (pool.type === "key-pool" ? keyList : accountList)(view, pool, before)
    const title = typeNames[pool.type]
    return page(
      "wallet",
      `Pool ${pool.name}`,
      heading(title, pool.name, copied(wallet.krn(pool))),
      card(title, [list, pager(view.path("wallet", pool.type, pool.name), before, older)])
    )
  })
