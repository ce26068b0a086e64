/** A node that lies about what took the nonce of a send: it is believed with the signature of the account alone. */
import * as Evidence from "@effect-klaytn/custody/Evidence"
import { pricesAt, type RemoteChain } from "@effect-klaytn/custody/WalletChain"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Result } from "@effect-klaytn/transaction/Result"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import * as localWallet from "./support/localWallet.js"

const unwrap = <A>(result: Result<A>): A => result.ok ? result.value : assert.fail(result.error.message)

const thief = new Uint8Array(randomBytes(32))
const thiefKey = unwrap(AccountKey.fromPublicKey(fromBytes(noble.publicKey(thief))))

const to = `0x${"ab".repeat(20)}` as const
const own = `0x${"01".repeat(32)}` as const

/** The bytes of a transaction that some key has signed, and their hash. */
const signed = (from: Hex, nonce: bigint, privateKey: Uint8Array) => {
  const fields = { gasPrice: 25n, gas: 21_000n, from, to, value: 7n, nonce, signatures: [] }
  const transaction = unwrap(
    Transaction.signAsSender({ type: "ValueTransfer", ...fields }, { chainId: 1001, privateKey })
  )
  return { raw: unwrap(Transaction.encode(transaction)), hash: unwrap(Transaction.hash(transaction)) }
}

/** What is believed of a node that shows a transaction with this hash and these bytes, and says that an account has a key. */
const start = Effect.gen(function*() {
  const { local, wallet } = yield* localWallet.make
  const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
  const { privateKey } = yield* wallet.signer(account)
  const believed = (
    shown: { readonly hash: Hex; readonly raw: Hex } | undefined,
    { from = account.address, key = AccountKey.legacy }: { from?: Hex; key?: AccountKey.AccountKey } = {}
  ) =>
    Effect.gen(function*() {
      const by = shown?.hash ?? own
      const chain = {
        ...localWallet.walletChain(local),
        prices: Effect.succeed(pricesAt(25n)),
        account: () => Effect.succeedSome({ nonce: 1n, balance: 0n, key }),
        pendingTransaction: (hash: Hex) =>
          Effect.succeed(
            shown === undefined
              ? Option.none()
              : Option.some({ hash, senderTxHash: hash, typeInt: 8, from, raw: shown.raw })
          ),
        verdict: () => Effect.succeed({ _tag: "replaced", by } as const),
        blockTime: Effect.succeed(0)
      } satisfies RemoteChain
      const { verdict } = Evidence.verified(chain, { store: wallet.store, curve: noble })
      return (yield* verdict({ account: from, nonce: 0n, hash: own, senderHash: own }))._tag
    })
  return { account, believed, secret: Redacted.value(privateKey), wallet }
})

describe("a transaction that a node shows in place of ours", () => {
  it.scoped("is believed when the key of the account has signed it", () =>
    Effect.gen(function*() {
      const { account, believed, secret } = yield* start
      assert.strictEqual(yield* believed(signed(account.address, 0n, secret)), "replaced")
    }))

  it.scoped("is not believed with the signature of another key, though the node says that it is the account's", () =>
    Effect.gen(function*() {
      const { account, believed } = yield* start
      const forged = signed(account.address, 0n, thief)
      assert.strictEqual(yield* believed(forged), "open")
      assert.strictEqual(yield* believed(forged, { key: thiefKey }), "open")
    }))

  it.scoped("is not believed with another nonce, another account, another hash, or without its bytes", () =>
    Effect.gen(function*() {
      const { account, believed, secret } = yield* start
      assert.strictEqual(yield* believed(signed(account.address, 1n, secret)), "open")
      assert.strictEqual(yield* believed(signed(to, 0n, secret)), "open")
      const { raw } = signed(account.address, 0n, secret)
      assert.strictEqual(yield* believed({ raw, hash: `0x${"cd".repeat(32)}` }), "open")
      assert.strictEqual(yield* believed({ raw: "0x1234", hash: own }), "open")
      assert.strictEqual(yield* believed(undefined), "open")
    }))

  it.scoped("is believed of an account of several keys when enough of them have signed", () =>
    Effect.gen(function*() {
      const { account, believed, secret, wallet } = yield* start
      const other = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const keys = [account, other].map(({ key }) => ({ publicKey: key.publicKey, weight: 1 }))
      yield* wallet.store.setMultiSig(account, { threshold: 2, keys }, 0)
      const { privateKey } = yield* wallet.signer(other)
      const one = unwrap(Transaction.decode(signed(account.address, 0n, Redacted.value(privateKey)).raw))
      const both = unwrap(Transaction.signAsSender(one, { chainId: 1001, privateKey: secret }))
      const shown = { raw: unwrap(Transaction.encode(both)), hash: unwrap(Transaction.hash(both)) }
      assert.strictEqual(yield* believed(shown), "replaced")
      const alone = { raw: unwrap(Transaction.encode(one)), hash: unwrap(Transaction.hash(one)) }
      assert.strictEqual(yield* believed(alone), "open")
    }))

  it.scoped("is believed of an account that the wallet does not hold by the key that the node says", () =>
    Effect.gen(function*() {
      const { believed } = yield* start
      const from = unwrap(PrivateKey.toAddress(fromBytes(thief)))
      assert.strictEqual(PublicKey.addressOf(noble.publicKey(thief)), from)
      assert.strictEqual(yield* believed(signed(from, 0n, thief), { from }), "replaced")
      const key = { type: "AccountKeyFail" } as const
      assert.strictEqual(yield* believed(signed(from, 0n, thief), { from, key }), "open")
    }))
})
