import { TransactionRejected } from "@effect-klaytn/custody/CustodyError"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import { pricesAt, type RemoteChain } from "@effect-klaytn/custody/WalletChain"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { give } from "../src/internal/sends/giving.js"
import * as signing from "../src/internal/wallet/signing.js"
import { chain, make } from "./support/guardedWallet.js"
import { newSend } from "./support/newSend.js"

const to = `0x${"ab".repeat(20)}` as const
const klay = 10n ** 18n

const short = new TransactionRejected({
  reason: "InsufficientFunds",
  message: "insufficient funds of the sender for value"
})

describe("a node that says that the sender has too little", () => {
  it.scopedLive("is believed only where two reads of the balance agree", () =>
    Effect.gen(function*() {
      const { local, sql, wallet } = yield* make()
      const store = SqlSendStore.make(sql, chain)
      const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const fields = {
        nonce: 0n,
        gas: 25_000n,
        gasPrice: 25_000_000_000n,
        from: account.address,
        to,
        value: klay
      } as const
      const made = Transaction.make({ type: "ValueTransfer", ...fields })
      assert(made.ok)
      const raw = yield* signing.encode(yield* signing.signAsSender(wallet, yield* wallet.signer(account), made.value))
      const hash = `0x${"11".repeat(32)}` as const
      const send = yield* store.take(newSend({ account: account.address, nonce: 0n, hash, raw }), 1)
      assert(send !== undefined)
      const kindWith = (...balances: ReadonlyArray<bigint>) =>
        Effect.gen(function*() {
          let asked = 0
          const shown: RemoteChain = {
            ...wallet.chain,
            prices: Effect.succeed(pricesAt(local.unitPrice)),
            blockTime: Effect.succeed(0),
            verdict: () => Effect.succeed({ _tag: "open" as const }),
            submitRaw: () => short,
            account: () =>
              Effect.map(
                wallet.chain.account(account.address),
                () => Option.some({ nonce: 0n, balance: balances[asked++] ?? 0n, key: AccountKey.legacy })
              )
          }
          yield* give({ chain: shown, store }, send)
          return (yield* store.byHash(hash))?.refusal?.kind
        })
      assert.strictEqual(yield* kindWith(0n, 0n), "funds")
      assert.strictEqual(yield* kindWith(0n, 2n * klay), "passing", "a copy that is behind was asked first")
      assert.strictEqual(yield* kindWith(2n * klay, 0n), "passing")
      // The value is there, and the fee is not.
      assert.strictEqual(yield* kindWith(klay, klay), "funds")
    }))
})
