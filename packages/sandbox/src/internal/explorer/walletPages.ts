import { attempt } from "@effect-klaytn/local-chain/ChainError"
import { splitFee } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChainId } from "../../Chain.js"
import { StoreFailure } from "../../ChainError.js"
import type { Pool } from "../store/WalletRecord.js"
import { compressedOf } from "../store/WalletRecord.js"
import { copy, type ExplorerReads, linksFor, Missing, pageOf, pageSize } from "./ExplorerReads.js"
import { count, klay, klayAndPeb, pill, printable, time } from "./format.js"
import { html } from "./Html.js"
import { card, facts, heading, type Page, pager, pathOf, table } from "./layout.js"
import { typeWords } from "./transactionList.js"

const typeNames = { "account-pool": "Accounts", "feepayer-pool": "Fee payers", "key-pool": "Keys" } as const

const maxFees = 10

/** The pools of a chain's wallet, and what the service's own fee payer has paid. */
export const walletPage = (reads: ExplorerReads, chainId: ChainId): Effect.Effect<Page, StoreFailure> =>
  Effect.gen(function*() {
    const wallet = reads.wallet(chainId)
    const pools = yield* attempt("pools", () =>
      wallet.store.pools().map((pool) => ({
        pool,
        size: pool.type === "key-pool" ? undefined : wallet.store.countAccounts(pool)
      })))
    const feePayer = wallet.globalFeePayer.address
    const state = yield* reads.chain(chainId).account(feePayer).pipe(
      Effect.mapError((cause) =>
        cause._tag === "StoreFailure" ? cause : new StoreFailure({ operation: "account", cause })
      )
    )
    const fees = yield* attempt("fees", () => wallet.reader.transactionsPaidBy({ feePayer, limit: maxFees }))
    const links = yield* linksFor(reads, chainId, fees.map(({ from }) => from))
    return {
      title: "Wallet",
      section: "wallet",
      body: html`${heading("Chain", "Wallet", "The pools of the service's wallet; private keys are never shown")}${
        card(
          "Pools",
          table(
            "Pools",
            [
              { title: "Pool" },
              { title: "Holds" },
              { title: "In it", isNumber: true },
              { title: "Created" },
              { title: "Resource name" }
            ],
            pools.map(({ pool, size }) => ({
              key: pool.id,
              cells: [
                html`<b><a href="${pathOf(chainId, "wallet", pool.type, pool.name)}">${pool.name}</a></b>`,
                typeNames[pool.type],
                size === undefined ? html`<span class="quiet">—</span>` : count(size),
                pool.createdAt === 0 ? html`<span class="quiet">from the start</span>` : time(pool.createdAt),
                html`<code class="wide">${wallet.krn(pool)}</code>${copy(wallet.krn(pool))}`
              ]
            })),
            "There are none."
          )
        )
      }${
        card("The service's own fee payer", [
          facts([
            ["Account", links.fullAccount(feePayer)],
            ["Balance", klayAndPeb(Option.match(state, { onNone: () => 0n, onSome: ({ balance }) => balance }))]
          ]),
          table(
            "Fees it has paid",
            [
              { title: "Transaction" },
              { title: "Time" },
              { title: "From" },
              { title: "Type" },
              { title: "Paid", isNumber: true }
            ],
            fees.map((record) => ({
              key: record.hash,
              cells: [
                links.transaction(record.hash),
                time(record.timestamp),
                links.account(record.from),
                typeWords(record.typeInt),
                klay(splitFee(record, record.fee).byFeePayer)
              ]
            })),
            "It has not paid a fee yet."
          )
        ])
      }`
    }
  })

const accountList = (reads: ExplorerReads, chainId: ChainId, pool: Pool, before: number | undefined) =>
  Effect.gen(function*() {
    const wallet = reads.wallet(chainId)
    const { items, last } = pageOf(yield* wallet.accounts(pool, { limit: pageSize + 1, before }))
    const rows = yield* Effect.forEach(items, (account) =>
      Effect.map(wallet.status(account), (status) => ({
        key: account.id,
        cells: [
          html`<a href="${
            pathOf(chainId, "accounts", account.address)
          }"><code class="wide">${account.address}</code></a>`,
          pill(status === "enabled" ? "good" : status === "disabled" ? "warn" : "bad", status),
          account.multiSig === undefined
            ? "one key"
            : `${account.multiSig.keys.length} keys, threshold ${account.multiSig.threshold}`,
          html`<code class="wide">${compressedOf(account.key)}</code>`,
          time(account.createdAt)
        ]
      })))
    const titles = ["Address", "Status", "Signs with", "Public key", "Created"].map((title) => ({ title }))
    return [table("Accounts of the pool", titles, rows, "No accounts yet."), last?.id] as const
  })

const keyList = (reads: ExplorerReads, chainId: ChainId, pool: Pool, before: number | undefined) =>
  Effect.gen(function*() {
    const wallet = reads.wallet(chainId)
    const { items, last } = pageOf(yield* wallet.keys(pool, { limit: pageSize + 1, before }))
    const rows = items.map((key) => ({
      key: key.id,
      cells: [
        html`<code class="wide">${compressedOf(key)}</code>${copy(compressedOf(key))}`,
        html`<code class="wide">${wallet.keyId(key)}</code>${copy(wallet.keyId(key))}`
      ]
    }))
    const titles = ["Public key", "ID"].map((title) => ({ title }))
    return [table("Keys of the pool", titles, rows, "No keys yet."), last?.id] as const
  })

/** A pool of the wallet: its accounts or keys. */
export const poolPage = (
  reads: ExplorerReads,
  chainId: ChainId,
  type: string,
  name: string,
  { before }: { readonly before?: number | undefined }
): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const wallet = reads.wallet(chainId)
    const pool = yield* attempt(
      "pools",
      () => wallet.store.pools().find((one) => one.type === type && one.name === name)
    )
    if (pool === undefined) {
      return yield* new Missing({
        title: "No such pool",
        message: `This wallet has no ${printable(type)} ${printable(name)}.`
      })
    }
    const [list, last] = yield* (pool.type === "key-pool" ? keyList : accountList)(reads, chainId, pool, before)
    return {
      title: `Pool ${pool.name}`,
      section: "wallet",
      body: html`${
        heading(
          typeNames[pool.type],
          pool.name,
          html`<code class="wide">${wallet.krn(pool)}</code>${copy(wallet.krn(pool))}`
        )
      }${
        card(typeNames[pool.type], [
          list,
          pager(pathOf(chainId, "wallet", pool.type, pool.name), {
            newer: before !== undefined,
            older: last === undefined ? undefined : { before: last }
          })
        ])
      }`
    }
  })
