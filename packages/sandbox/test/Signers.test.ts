/** Every signer, with each kind of request, on a whole chain. */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Contract from "@effect-klaytn/node/Contract"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Signer from "@effect-klaytn/node/Signer"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import type * as Result from "@effect-klaytn/transaction/Result"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as HostedSigner from "@effect-klaytn/wallet/HostedSigner"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import { balance, hex, klay, somebody } from "./support/walletStory.js"

const clients = Layer.mergeAll(
  KlaytnNode.layer(),
  Wallet.layer(),
  Transactions.layer(),
  TransactionLookup.layer()
).pipe(Layer.provide(Sandbox.clientConfig(1001)), Layer.provide(FetchHttpClient.layer))

type Services =
  | Sandbox.Sandbox
  | KlaytnNode.KlaytnNode
  | Wallet.Wallet
  | Transactions.Transactions
  | TransactionLookup.TransactionLookup

const run = <A, E>(test: Effect.Effect<A, E, Services>, options: Sandbox.Options = {}) =>
  Effect.provide(
    test,
    Layer.provideMerge(
      clients,
      Sandbox.layer({ seed: "signers", clock: { start: 1_600_000_000, step: 1 }, feePayerStyle: "paths", ...options })
    )
  )

const quick = { within: "2 seconds", pollInterval: "10 millis" } as const

const opened = <A>(result: Result.Result<A>): A => result.ok ? result.value : assert.fail(result.error.message)

const chain = Effect.map(Sandbox.Sandbox, ({ control }) => control.chain(1001))

/** A new account with 10 KLAY, and its key. */
const account = (name: "signer" | "sponsor", amount = 10n * klay) =>
  Effect.gen(function*() {
    yield* (yield* chain).createAccount({ name, amount })
    const { chains } = yield* Sandbox.Sandbox
    const made = chains.account(name)
    return { address: made.address, key: Redacted.make<string>(DevAccount.revealPrivateKey(made)) }
  })

const keyNumber = (n: number) => {
  const privateKey = hex(`0x${String(n).repeat(64)}`)
  return { key: Redacted.make<string>(privateKey), publicKey: opened(PrivateKey.toPublicKey(privateKey)) }
}

const typeOf = (sent: Signer.Sent) => sent.receipt._tag

describe("a signer with keys", () => {
  it.live("shares the fee of every kind of transaction by a ratio", () =>
    run(Effect.gen(function*() {
      const own = yield* account("signer")
      const sponsor = yield* account("sponsor")
      const signer = yield* Signer.fromKeys({
        privateKeys: [own.key],
        feePayer: { privateKeys: [sponsor.key], ratio: 30 }
      })
      const sent = yield* signer.send({ to: somebody, value: 1n }, quick)
      const memo = yield* signer.send({ to: somebody, value: 1n, input: "0x6869" }, quick)
      const next = keyNumber(1)
      const update = yield* signer.send({ accountKey: opened(AccountKey.fromPublicKey(next.publicKey)) }, quick)
      assert.deepStrictEqual([sent, memo, update].map(typeOf), [
        "FeeDelegatedValueTransferWithRatio",
        "FeeDelegatedValueTransferMemoWithRatio",
        "FeeDelegatedAccountUpdateWithRatio"
      ])
      const spent = 10n * klay - (yield* balance(own.address)) - 2n
      const paid = 10n * klay - (yield* balance(sponsor.address))
      assert.isTrue(paid > 0n && spent > 0n)
      const whole = paid + spent
      // Each of the three is rounded down.
      assert.isTrue(paid <= whole * 30n / 100n && paid >= whole * 30n / 100n - 3n)
    })))

  it.live("gives its account several keys, which then all sign", () =>
    run(Effect.gen(function*() {
      const own = yield* account("signer")
      const keys = [keyNumber(1), keyNumber(2), keyNumber(3)]
      const first = yield* Signer.fromKeys({ privateKeys: [own.key] })
      yield* first.send({
        accountKey: {
          type: "AccountKeyWeightedMultiSig",
          threshold: 2,
          keys: keys.map(({ publicKey }) => ({ weight: 1, publicKey }))
        }
      }, quick)
      const old = yield* Effect.flip(first.send({ to: somebody, value: 1n }, quick))
      assert.strictEqual(old._tag === "SendUnknown" && old.failure?._tag, "TransactionRefused")
      const both = yield* Signer.fromKeys({ address: own.address, privateKeys: keys.slice(0, 2).map(({ key }) => key) })
      const sent = yield* both.send({ to: somebody, value: 1n }, quick)
      assert.deepStrictEqual([typeOf(sent), yield* balance(somebody)], ["ValueTransfer", 1n] as unknown)
    })))

  it.live("signs in the role of the transaction", () =>
    run(Effect.gen(function*() {
      const own = yield* account("signer")
      const [pays, updates] = [keyNumber(1), keyNumber(2)]
      const first = yield* Signer.fromKeys({ privateKeys: [own.key] })
      const single = (one: typeof pays) => opened(AccountKey.fromPublicKey(one.publicKey))
      yield* first.send({
        accountKey: { type: "AccountKeyRoleBased", keys: [single(pays), single(updates), single(keyNumber(3))] }
      }, quick)
      const sender = yield* Signer.fromKeys({ address: own.address, privateKeys: [pays.key] })
      const updater = yield* Signer.fromKeys({ address: own.address, privateKeys: [updates.key] })
      assert.strictEqual(typeOf(yield* sender.send({ to: somebody, value: 1n }, quick)), "ValueTransfer")
      const wrong = yield* Effect.flip(updater.send({ to: somebody, value: 1n }, quick))
      assert.strictEqual(wrong._tag, "SendUnknown")
      const update = yield* updater.send({ accountKey: single(pays) }, quick)
      assert.strictEqual(typeOf(update), "AccountUpdate")
    })))

  it.live("cancels what waits, and one of the two is superseded", () =>
    run(
      Effect.gen(function*() {
        const on = yield* chain
        const own = yield* account("signer")
        yield* on.mine({ blocks: 1 })
        const signer = yield* Signer.fromKeys({ privateKeys: [own.key] })
        const first = yield* signer.prepare({ to: somebody, value: 5n })
        const payment = yield* Effect.fork(Effect.either(signer.submit(first, quick)))
        const node = yield* KlaytnNode.KlaytnNode
        yield* Effect.repeat(node.klay.getTransactionCount(own.address, "pending"), { until: (count) => count === 1n })
        const cancel = yield* Effect.fork(signer.send({ cancel: 0n }, quick))
        yield* Effect.repeat(node.klay.getTransactionByHash(first.transactionHash), {
          until: (found) => found._tag === "None"
        })
        yield* on.mine({ blocks: 1 })
        assert.strictEqual(typeOf(yield* Fiber.join(cancel)), "Cancel")
        const lost = yield* Effect.flip(yield* Fiber.join(payment))
        assert.deepInclude(lost, { _tag: "Superseded", nonce: 0n } as never)
        assert.strictEqual(yield* balance(somebody), 0n)
      }),
      { mining: "manual" }
    ))

  it.live("sends Ethereum's type", () =>
    run(Effect.gen(function*() {
      const own = yield* account("signer")
      const signer = yield* Signer.fromEthereumKey(own.key)
      const sent = yield* signer.send({ to: somebody, value: 7n }, quick)
      assert.deepStrictEqual([signer.address, typeOf(sent), yield* balance(somebody)], [
        own.address,
        "EthereumDynamicFee",
        7n
      ] as unknown)
    })))

  it.live("says by its tag that funds are missing, before and after it is sent", () =>
    run(Effect.gen(function*() {
      const own = yield* account("signer")
      const signer = yield* Signer.fromKeys({ privateKeys: [own.key] })
      const estimated = yield* Effect.flip(signer.send({ to: somebody, value: 11n * klay }, quick))
      assert.strictEqual(estimated._tag === "NotSent" && estimated.reason._tag, "InsufficientFunds")
      const refused = yield* Effect.flip(signer.send({ to: somebody, value: 11n * klay, gas: 21_000n }, quick))
      const failure = refused._tag === "SendUnknown" ? refused.failure : undefined
      assert.deepInclude(failure, { _tag: "InsufficientFunds", who: "sender" } as never)
    })))
})

/** A new account of the hosted wallet with 10 KLAY. */
const hosted = Effect.gen(function*() {
  const { address } = yield* (yield* Wallet.Wallet).createAccount
  yield* (yield* chain).fund({ to: address, amount: 10n * klay })
  return address
})

/** A contract whose every function returns 42, and that reverts if it is sent coin. */
const bytecode = "0x601480600b6000396000f33415600957600080fd5b602a60005260206000f3"
const abi = ["function answer() view returns (uint256)", "function pay() payable"] as const

describe("a signer of the hosted wallet", () => {
  it.live("sends, creates a contract, and writes to it; the service pays", () =>
    run(Effect.gen(function*() {
      const address = yield* hosted
      const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.service })
      const sent = yield* signer.send({ to: somebody, value: 3n }, quick)
      const memo = yield* signer.send({ to: somebody, value: 3n, input: "0x6869" }, quick)
      assert.deepStrictEqual([sent, memo].map(typeOf), [
        "FeeDelegatedValueTransfer",
        "FeeDelegatedValueTransferMemo"
      ])
      const { contract } = yield* Contract.deploy({ abi, bytecode, args: [], signer, ...quick })
      assert.strictEqual(yield* contract.read("answer", []), 42n)
      const written = yield* contract.write("pay", [], { signer, ...quick })
      assert.strictEqual(written.receipt._tag, "FeeDelegatedSmartContractExecution")
      const failed = yield* Effect.flip(contract.write("pay", [], { signer, value: 1n, ...quick }))
      assert.strictEqual(failed._tag, "FailedInBlock")
      assert.strictEqual(yield* balance(somebody), 6n)
      assert.strictEqual(yield* balance(address), 10n * klay - 6n)
    })))

  it.live("shares the fee, and updates the key of its account", () =>
    run(Effect.gen(function*() {
      const address = yield* hosted
      const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.service, feeRatio: 30 })
      const sent = yield* signer.send({ to: somebody, value: 3n }, quick)
      assert.strictEqual(typeOf(sent), "FeeDelegatedValueTransferWithRatio")
      const update = yield* signer.send({
        accountKey: opened(AccountKey.fromPublicKey(keyNumber(1).publicKey))
      }, quick)
      assert.strictEqual(typeOf(update), "FeeDelegatedAccountUpdateWithRatio")
    })))

  it.live("refuses what the service can't be asked for, and sends nothing", () =>
    run(Effect.gen(function*() {
      const address = yield* hosted
      const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.service })
      const refused = (request: Signer.AnyRequest) =>
        Effect.map(Effect.flip(signer.send(request, quick)), (error) =>
          error._tag === "NotSent" && error.reason._tag === "InvalidInput" ? error.reason.path.at(-1) : error)
      assert.deepStrictEqual(
        yield* Effect.forEach([
          { to: somebody, nonce: 0n },
          { to: somebody, gasPrice: 1n },
          { to: somebody, gas: 2n ** 60n },
          { to: somebody, input: "0xff" },
          { to: somebody, input: "ff" },
          {},
          { cancel: 0n }
        ], refused),
        ["nonce", "gasPrice", "gas", "input", "input", "to", "cancel"]
      )
      const node = yield* KlaytnNode.KlaytnNode
      assert.strictEqual(yield* node.klay.getTransactionCount(address), 0n)
    })))

  it.live("does not take a lack of funds for a proof, and names it by its tag", () =>
    run(Effect.gen(function*() {
      const address = yield* hosted
      const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.sender })
      const refused = yield* Effect.flip(signer.send({ to: somebody, value: 11n * klay }, quick))
      if (refused._tag !== "SendUnknown") return assert.fail(refused._tag)
      assert.deepInclude(refused.failure, { _tag: "InsufficientFunds", who: "sender" } as never)
      const again = yield* Effect.flip(signer.reconcile(refused, quick))
      assert.strictEqual(again._tag, "SendUnknown")
    })))

  it.live("is superseded when a block gives its nonce to another transaction", () =>
    run(Effect.gen(function*() {
      const address = yield* hosted
      const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.sender })
      yield* signer.send({ to: somebody, value: 1n }, quick)
      const second = yield* signer.send({ to: somebody, value: 2n }, quick)
      const lost = yield* Effect.flip(signer.send({ to: somebody, value: 3n, nonce: 1n }, quick))
      assert.deepInclude(lost, { _tag: "Superseded", nonce: 1n, by: second.transactionHash } as never)
      assert.strictEqual(yield* balance(somebody), 3n)
    })))

  it.live("finds a send whose receipt came late, by its record alone", () =>
    run(
      Effect.gen(function*() {
        const on = yield* chain
        const address = yield* hosted
        yield* on.mine({ blocks: 1 })
        const signer = yield* HostedSigner.make({ address, payer: FeeDelegation.sender })
        const late = yield* Effect.flip(signer.send({ to: somebody, value: 1n }, { ...quick, within: 0 }))
        if (late._tag !== "SendUnknown") return assert.fail(late._tag)
        yield* on.mine({ blocks: 1 })
        const { from, reason, record } = late
        const sent = yield* signer.reconcile(new Signer.SendUnknown({ from, reason, record }), quick)
        assert.strictEqual(sent.transactionHash, late.transactionHash)
      }),
      { mining: "manual" }
    ))
})

describe("the wallet", () => {
  it.live("says by its tag that funds are missing, and whose", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const from = yield* hosted
      const send = { from, to: somebody, value: 11n * klay, payer: FeeDelegation.sender }
      const refused = yield* Effect.flip(wallet.sendValue(send))
      const reason = refused._tag === "NotSent" ? refused.reason : undefined
      assert.deepInclude(reason, { _tag: "InsufficientFunds", who: "sender" } as never)
      assert.deepStrictEqual([refused._tag === "NotSent" && refused.proof], ["lookup"])
      // Behind a free nonce the look-up would not show it, so that the outcome is not known.
      const unknown = yield* Effect.flip(wallet.sendValue({ ...send, nonce: 7 }))
      assert.strictEqual(unknown._tag === "SendUnknown" && unknown.cause?._tag, "InsufficientFunds")
    })))
})
