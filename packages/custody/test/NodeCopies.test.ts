/** What one of several copies of a node says, which may lag behind or be wrong. */
import type { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as StoredSends from "@effect-klaytn/custody/StoredSends"
import { pricesAt } from "@effect-klaytn/custody/WalletChain"
import { compressedOf } from "@effect-klaytn/custody/WalletRecord"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { authenticate } from "../src/internal/wallet/authentic.js"
import { nonces } from "../src/internal/wallet/nonces.js"
import { encode, signAsSender } from "../src/internal/wallet/signing.js"
import { chain, make } from "./support/guardedWallet.js"

const account = `0x${"a1".repeat(20)}` as const

/** The nonces of an account of which the node names the next one, and how many were used; the wallet has seen the first ones in blocks. */
const told = ({ next, seen, used }: { readonly next: bigint; readonly seen: bigint; readonly used: bigint }) =>
  nonces({
    chain: {
      account: () => Effect.succeed(Option.some({ balance: 0n, key: AccountKey.legacy, nonce: used })),
      pendingNonce: () => Effect.succeed(next)
    },
    store: { firstUnused: () => Effect.succeed(seen), takenFrom: () => Effect.succeed([]) }
  })

describe("a nonce far above the last one that an account has used", () => {
  it.effect("is believed of no node that has shown used ones before", () =>
    Effect.gen(function*() {
      const far = told({ next: 1_000_002n, seen: 1n, used: 1_000_002n })
      assert.strictEqual((yield* Effect.flip(far.nextNonce(account)))._tag, "NodeFailure")
      assert.deepInclude(yield* Effect.flip(far.checkNonce(account, 1_000_002n)), { reason: "NonceTooHigh" })
      assert.strictEqual(yield* told({ next: 1_000_001n, seen: 1n, used: 0n }).nextNonce(account), 1_000_001n)
    }))

  it.effect("is none that the wallet can't store", () =>
    Effect.gen(function*() {
      const [largest, above] = [2n ** 63n - 1n, 2n ** 63n]
      assert.strictEqual(yield* told({ next: largest, seen: 0n, used: largest }).nextNonce(account), largest)
      const error = yield* Effect.flip(told({ next: above, seen: 0n, used: above }).nextNonce(account))
      assert.strictEqual(error._tag, "NodeFailure")
    }))
})

describe("a transaction with such a nonce", () => {
  it.scoped("is neither said to be possible nor stored, whoever has signed it", () =>
    Effect.gen(function*() {
      const { sql, wallet } = yield* make()
      const own = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const from = own.address
      const fields = { gas: 25_000n, gasPrice: 25n, from, to: account, value: 1n, signatures: [] }
      const signer = yield* wallet.signer(own)
      const transaction = yield* signAsSender(wallet, signer, { type: "ValueTransfer", nonce: 1_000_001n, ...fields })
      const raw = yield* encode(transaction)
      const shown = {
        ...wallet.chain,
        verdict: () => Effect.succeed({ _tag: "open" } as const),
        blockTime: Effect.succeed(0),
        prices: Effect.succeed(pricesAt(1n))
      }
      const sends = StoredSends.make({ chain: shown, store: SqlSendStore.make(sql, chain) })
      const mayTake = sends.mayTake?.(from, transaction) ?? Effect.void
      assert.deepInclude(yield* Effect.flip(mayTake), { reason: "NonceTooHigh" })
      assert.deepInclude(yield* Effect.flip(sends.submit({ from, raw, transaction })), { reason: "NonceTooHigh" })
      assert.lengthOf(yield* sql`SELECT id FROM wallet_sends_1001`, 0)
    }))
})

describe("the key of an account", () => {
  it.scoped("is asked for three times before a signature is refused", () =>
    Effect.gen(function*() {
      const { wallet } = yield* make()
      const own = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const fields = { nonce: 0n, gas: 25_000n, gasPrice: 25n, from: account, to: account, value: 1n, signatures: [] }
      const signed = yield* signAsSender(wallet, yield* wallet.signer(own), { type: "ValueTransfer", ...fields })
      const shown = (older: number) => {
        let asked = 0
        const answering: Pick<ChainWallet, "accountKey"> = {
          accountKey: () =>
            Effect.sync((): AccountKey.AccountKey =>
              asked++ < older
                ? { type: "AccountKeyFail" }
                : { type: "AccountKeyPublic", publicKey: compressedOf(own.key) }
            )
        }
        return authenticate(Object.assign(Object.create(wallet), answering), account, signed)
      }
      yield* shown(2)
      assert.deepInclude(yield* Effect.flip(shown(3)), { reason: "InvalidSenderSignature" })
    }))
})
