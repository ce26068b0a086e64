import { blob } from "@effect-klaytn/indexer/Column"
import type { Driver } from "@effect-klaytn/indexer/Driver"
import { type Query, select, type Selected } from "@effect-klaytn/indexer/Query"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { walletPending } from "./Schema.js"
import type { PageRange, Pending } from "./WalletRecord.js"

const pending = walletPending.as("w")

const toPending = ({ keys, threshold, ...row }: Selected<typeof pending>): Pending => ({
  ...row,
  multiSig: { threshold, keys }
})

/** Reads and writes the multisig transactions of one chain's wallet, both pending and sent. */
export class PendingStore {
  readonly #insert
  readonly #update
  readonly #one: Query<Selected<typeof pending>>
  readonly #list: Query<Selected<typeof pending>>

  constructor(driver: Driver, c: number) {
    const table = walletPending.of(c)
    this.#insert = table.insert(driver)
    this.#update = table.update(driver, "raw", "status", "hash", "updatedAt")
    this.#one = select(driver, pending, `FROM wallet_pending_${c} w WHERE w.transaction_id = ?1`)
    this.#list = select(
      driver,
      pending,
      `FROM wallet_pending_${c} w
       WHERE w.created >= ?1 AND w.created <= ?2 AND w.status = ?3 ORDER BY w.id DESC`
    )
  }

  add({ multiSig, ...pending }: Omit<Pending, "id" | "hash" | "createdAt" | "updatedAt">, now: number): void {
    this.#insert({ ...pending, ...multiSig, hash: undefined, createdAt: now, updatedAt: now })
  }

  get(transactionId: Hex): Pending | undefined {
    const row = this.#one.first(blob(transactionId))
    return row && toPending(row)
  }

  /** The transactions of a status, newest first. */
  list(status: number, range: Pick<PageRange, "from" | "to"> = {}): ReadonlyArray<Pending> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = range
    return this.#list.all(from, to, status).map(toPending)
  }

  /** Updates the signatures and the outcome of a transaction. */
  update({ id }: Pending, change: Pick<Pending, "raw" | "status" | "hash">, now: number): void {
    this.#update({ id, ...change, updatedAt: now })
  }
}
