import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scopedStore } from "../src/internal/scopedStore.js"
import { make } from "./support/guardedWallet.js"

const hash = `0x${"11".repeat(32)}` as const
const fields = { type: "ValueTransfer", nonce: 0n, gas: 21_000n, gasPrice: 25n, value: 1n, signatures: [] } as const

describe("the store of a caller of some pools", () => {
  it.scoped("shows nothing of other pools, and changes nothing in them", () =>
    Effect.gen(function*() {
      const { sql, wallet } = yield* make()
      yield* wallet.createPools("a")
      yield* wallet.createPools("b")
      const pool = yield* wallet.pool("account-pool", "b")
      const account = yield* wallet.createAccount(pool)
      const { address, key } = account
      const multiSig = { threshold: 1, keys: [{ publicKey: key.publicKey, weight: 1 }] }
      const range = { limit: 10 }
      const own = yield* wallet.createAccount(yield* wallet.pool("account-pool", "a"))
      const read = Transaction.encode({ ...fields, from: address, to: address })
      assert(read.ok)
      const held = { account: address, caller: undefined, multiSig, nonce: 0n, payer: "sender", status: 2 } as const
      yield* wallet.store.addPending({ ...held, raw: read.value, transactionId: hash }, 1)
      const store = scopedStore(wallet.store, ["a"])
      assert.deepStrictEqual(new Set((yield* store.pools).map(({ name }) => name)), new Set(["a"]))
      assert.deepStrictEqual(
        yield* Effect.all([
          store.key(key.hash),
          store.keys(pool, range),
          store.account(address),
          store.accounts(pool, range),
          store.accountsOfKey(key.publicKey),
          store.pending(hash),
          store.waiting({ account: address, publicKeys: [key.publicKey] }, range)
        ]),
        [undefined, [], undefined, [], [], undefined, []]
      )
      assert.deepStrictEqual((yield* store.account(own.address))?.address, own.address)
      const before = yield* sql`SELECT * FROM wallet_accounts_1001, wallet_keys_1001, wallet_pools_1001`
      const changes = {
        addPool: store.addPool("account-pool", "c", 1),
        addKey: store.addKey(pool, { hash, publicKey: hash, sealed: new Uint8Array(1) }, 1),
        dropKey: store.dropKey(key, 1),
        setDisabled: store.setDisabled(account, true, 1),
        setMultiSig: store.setMultiSig(account, multiSig, 1),
        dropAccount: store.dropAccount(account, 1),
        addAccount: store.addAccount(pool, `0x${"22".repeat(20)}`, key, 1)
      }
      for (const [name, change] of Object.entries(changes)) {
        const failure = yield* Effect.flip(change)
        assert.strictEqual(String(failure.cause), "Error: the pool is not one of the caller's", name)
      }
      assert.deepStrictEqual(
        yield* sql`SELECT * FROM wallet_accounts_1001, wallet_keys_1001, wallet_pools_1001`,
        before
      )
    }))
})
