import * as SendKeeper from "@effect-klaytn/custody/SendKeeper"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { CurrentCaller, unlimited } from "@effect-klaytn/custody/WalletCaller"
import { pricesAt, type RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { randomBytes } from "node:crypto"
import { ownAccount, raised } from "../src/internal/sends/signingAgain.js"
import * as signing from "../src/internal/wallet/signing.js"
import { chain, make } from "./support/guardedWallet.js"
import { walletChain } from "./support/localWallet.js"

const to = `0x${"ab".repeat(20)}` as const
const price = 25_000_000_000n

/** A wallet with an account, and ways to sign a payment of it. */
const start = Effect.gen(function*() {
  const opened = yield* make()
  const { wallet } = opened
  const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
  const caller = { ...unlimited("shop"), limits: { dailySum: 5n } }
  const byShop = Effect.provideService(CurrentCaller, { caller, operation: "test", requestId: "test" })
  const common = { nonce: 0n, gas: 25_000n, gasPrice: price, from: account.address, to, value: 5n } as const
  const payment = Transaction.make({ type: "ValueTransfer", ...common })
  assert(payment.ok)
  const raise = (raw: Hex) => byShop(raised(wallet, account, { raw }, 2n * price))
  return { ...opened, account, byShop, common, payment: payment.value, raise }
})

describe("the same payment at a higher price", () => {
  it.scopedLive("counts once against the limit of the day", () =>
    Effect.gen(function*() {
      const { account, byShop, guard, payment, raise, wallet } = yield* start
      const signer = yield* wallet.signer(account)
      const first = yield* byShop(signing.signAsSender(wallet, signer, payment))
      const again = yield* raise(yield* signing.encode(first))
      assert.deepInclude(again?.transaction, { gasPrice: 2n * price, value: 5n, to })
      assert.deepStrictEqual((yield* guard.spent()).map(({ amount }) => amount), [5n])
    }))

  it.scopedLive("is not signed for somebody else: neither for another key of the account nor for another fee payer", () =>
    Effect.gen(function*() {
      const { account, common, payment, raise, wallet } = yield* start
      const privateKey = randomBytes(32)
      const byOther = Transaction.signAsSender(payment, { chainId: chain, privateKey })
      assert(byOther.ok)
      assert.isUndefined(yield* raise(yield* signing.encode(byOther.value)))
      const delegated = Transaction.make({ type: "FeeDelegatedValueTransfer", ...common })
      assert(delegated.ok)
      const byOwn = yield* signing.signAsSender(wallet, yield* wallet.signer(account), delegated.value)
      assert(Transaction.isFeeDelegatedTransaction(byOwn))
      const paid = Transaction.signAsFeePayer(byOwn, { chainId: chain, privateKey, feePayer: to })
      assert(paid.ok)
      assert.isUndefined(yield* raise(yield* signing.encode(paid.value)))
    }))

  it.scoped("is not signed by a disabled account, by one that needs several signatures, or for a disabled fee payer", () =>
    Effect.gen(function*() {
      const { account, common, local, raise, wallet } = yield* start
      const { store } = wallet
      const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool"))
      const delegated = Transaction.make({ type: "FeeDelegatedValueTransfer", ...common })
      assert(delegated.ok)
      const bySender = yield* signing.signAsSender(wallet, yield* wallet.signer(account), delegated.value)
      const raw = yield* signing.encode(yield* signing.signAsFeePayer(wallet, yield* wallet.signer(payer), bySender))
      assert.isDefined(yield* raise(raw))
      yield* store.setDisabled(payer, true, 1)
      assert.isUndefined(yield* raise(raw))
      assert.isDefined(yield* ownAccount(wallet, account.address))
      yield* store.setDisabled(account, true, 1)
      assert.isUndefined(yield* ownAccount(wallet, account.address))
      yield* store.setDisabled(account, false, 1)
      assert.isDefined(yield* ownAccount(wallet, account.address))
      const several = { threshold: 1, keys: [{ publicKey: account.key.publicKey, weight: 1 }] }
      const key = { type: "AccountKeyWeightedMultiSig", threshold: 1, keys: several.keys } as const
      const update = Transaction.make({
        type: "AccountUpdate",
        nonce: 0n,
        gas: 100_000n,
        gasPrice: local.unitPrice,
        from: account.address,
        key
      })
      assert(update.ok)
      yield* local.fund(account.address, 10n ** 18n)
      const signed = yield* signing.signAsSender(wallet, yield* wallet.signer(account), update.value)
      yield* local.submitRaw(yield* signing.encode(signed))
      yield* store.setMultiSig(account, several, 1)
      assert.isDefined((yield* wallet.anyAccount(account.address))?.multiSig)
      assert.isUndefined(yield* ownAccount(wallet, account.address))
    }))

  it.scoped("is not signed against the limits that its caller has now, which is noted", () =>
    Effect.gen(function*() {
      const { account, byShop, local, payment, sql, wallet } = yield* start
      const store = SqlSendStore.make(sql, chain)
      const node = {
        ...walletChain(local),
        submitRaw: (raw: Hex) => Effect.succeed(raw),
        verdict: () => Effect.succeed({ _tag: "open" } as const),
        blockTime: Effect.succeed(0),
        prices: Effect.succeed(pricesAt(2n * price))
      } satisfies RemoteChain
      const signed = yield* byShop(signing.signAsSender(wallet, yield* wallet.signer(account), payment))
      const sends = StoredSends.make({ chain: node, store })
      const raw = yield* signing.encode(signed)
      yield* byShop(sends.submit({ from: account.address, transaction: signed, raw, isRaisable: true }))
      yield* TestClock.adjust("10 seconds")
      const limits = { receivers: [account.address] }
      const callerNamed = () => Effect.succeed({ caller: { ...unlimited("shop"), limits } })
      yield* SendKeeper.round({ chain: node, store, wallet, callerNamed })
      assert.deepStrictEqual((yield* store.open).map(({ refusal }) => refusal?.kind), ["forbidden"])
    }))
})
