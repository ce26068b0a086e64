import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Fees from "@effect-klaytn/wallet/Fees"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"
import { balance, chain, globalPayer, hex, key, klay, somebody } from "./support/walletStory.js"

const retry = RetryPolicy.make({ attempts: 3, baseDelay: Duration.millis(1) })

const clients = Layer.mergeAll(
  Wallet.layer(),
  Transactions.layer(),
  Accounts.layer(),
  Fees.layer(),
  Multisig.layer(),
  TransferHistory.layer()
)
  .pipe(
    Layer.provide(Sandbox.clientConfig(1001, { retry, attemptTimeout: Duration.seconds(20) })),
    Layer.provide(FetchHttpClient.layer)
  )

type Clients =
  | Sandbox.Sandbox
  | Wallet.Wallet
  | Transactions.Transactions
  | Accounts.Accounts
  | Fees.Fees
  | Multisig.Multisig
  | TransferHistory.TransferHistory

const run = <A, E>(test: Effect.Effect<A, E, Clients>, options: Sandbox.Options = {}) =>
  Effect.provide(
    test,
    Layer.provideMerge(
      clients,
      Sandbox.layer({
        seed: "client",
        clock: { start: 1_600_000_000, step: 1 },
        feePayerStyle: "paths",
        ...options
      })
    )
  )

/** A new account with a hundred KLAY. */
const account = Effect.gen(function*() {
  const made = yield* (yield* Wallet.Wallet).createAccount
  yield* (yield* chain).fund(hex(made.address), 100n * klay)
  return made
})

/** The next request is carried out, and its answer lost. */
const loseAnswer = Effect.flatMap(
  Sandbox.Sandbox,
  ({ control }) => control.addFault({ action: { kind: "drop", when: "after" } })
)

describe("The wallet's client on a sandbox, sending", () => {
  it.effect("ends in a hash, whoever pays, and the history has the transfer", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const accounts = yield* Accounts.Accounts
      const history = yield* TransferHistory.TransferHistory
      const { address: from } = yield* account
      const { address: payer } = yield* accounts.createFeePayer()
      yield* (yield* chain).fund(hex(payer), klay)
      const service = (yield* Sandbox.Sandbox).chains.account("global fee payer").address
      const send = { from, to: somebody, value: 3n }
      const sent = [
        yield* wallet.sendValue({ ...send, payer: FeeDelegation.sender }),
        yield* wallet.sendValue({ ...send, payer: FeeDelegation.service, memo: "0x12" }),
        yield* wallet.sendValue({ ...send, payer: FeeDelegation.user(payer), feeRatio: 50 }),
        yield* wallet.sendValue({ ...send, payer: FeeDelegation.user(payer) })
      ]
      const told = sent.map((one) => one._tag === "Sent" ? [one.nonce, one.paidBy, one.result?.typeInt] : [one._tag])
      assert.deepStrictEqual<unknown>(told, [
        [0, { _tag: "AsAsked", address: from }, 8],
        [1, { _tag: "AsAsked", address: service }, 17],
        [2, { _tag: "AsAsked", address: payer }, 10],
        [3, { _tag: "AsAsked", address: payer }, 9]
      ])
      const transfers = yield* Stream.runCollect(history.getTransfersByEoa.items({ address: somebody }))
      assert.deepStrictEqual<unknown>(
        Chunk.toReadonlyArray(transfers).map((one) => one._tag === "CoinTransfer" ? one.transactionHash : one._tag),
        sent.map((one) => one._tag === "Sent" ? one.transactionHash : one._tag).toReversed()
      )
      const fees = yield* (yield* Fees.Fees).getChargedFees({ from })
      assert.deepStrictEqual(fees.items.map(({ chargedByPeb, from: sender }) => [sender, chargedByPeb]), [[
        from,
        (21_000n + 10_000n + 4n * 40n) * 27_500_000_000n
      ]])
    })))

  it.effect("ends signed only, and the bytes can be sent later, once", () =>
    run(Effect.gen(function*() {
      const transactions = yield* Transactions.Transactions
      const { address: from } = yield* account
      const signed = yield* transactions.send({
        request: { _tag: "Value", from, to: somebody, value: 5n },
        payer: FeeDelegation.sender,
        submit: false
      })
      assert.strictEqual(signed._tag, "SignedOnly")
      assert.strictEqual(yield* balance(somebody), 0n)
      const rlp = signed._tag === "SignedOnly" ? signed.rlp : ""
      const request = { _tag: "Rlp", rlp, from } as const
      const once = yield* transactions.send({ request, payer: FeeDelegation.sender })
      const twice = yield* transactions.send({ request, payer: FeeDelegation.sender })
      assert.deepStrictEqual([once._tag, twice._tag], ["Sent", "Sent"])
      assert.deepStrictEqual<unknown>(
        twice._tag === "Sent" && twice.found,
        once._tag === "Sent" && {
          transactionHash: once.transactionHash,
          from,
          nonce: 0,
          typeInt: 8,
          to: somebody,
          value: 5n,
          input: "0x",
          senderTxHash: once.transactionHash,
          key: undefined,
          feePayer: undefined,
          block: 2,
          state: "succeeded"
        }
      )
      assert.strictEqual(yield* balance(somebody), 5n)
    })))

  it.live("learns at the node who has taken a nonce that it names: this very send, or another", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const { address: from } = yield* account
      const send = (value: bigint, nonce?: number) =>
        wallet.sendValue({ from, to: somebody, value, payer: FeeDelegation.sender, nonce })
      yield* send(1n)
      yield* loseAnswer
      const sent = yield* send(7n, 1)
      assert.deepStrictEqual([sent._tag, sent._tag === "Sent" && sent.found?.state], ["Sent", "succeeded"])
      // Refused at the only attempt: the one that looks the same may be what has the nonce, the other one can't be.
      const same = yield* Effect.flip(send(7n, 1))
      assert.strictEqual(same._tag === "SendUnknown" ? (yield* same.reconcile)._tag : same._tag, "Executed")
      const other = yield* Effect.flip(send(8n, 1))
      assert.strictEqual(other._tag === "NotSent" ? other.proof : other._tag, "block")
      assert.strictEqual(yield* balance(somebody), 8n)
    })))

  it.live("tells who pays the fee, also of a send that it had to look up", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const { address: from } = yield* account
      const send = (payer: FeeDelegation.FeePayerInput, nonce?: number) =>
        wallet.sendValue({ from, to: somebody, value: 1n, payer, nonce })
      yield* send(FeeDelegation.service)
      const payers = [FeeDelegation.service, FeeDelegation.sender]
      for (const [at, payer] of payers.entries()) {
        yield* loseAnswer
        const found = yield* send(payer, at + 1)
        assert.isDefined(found._tag === "Sent" ? found.found : undefined)
        assert.deepStrictEqual<unknown>(found._tag === "Sent" && found.paidBy, {
          _tag: "AsAsked",
          address: payer === FeeDelegation.service ? yield* globalPayer : from
        })
      }
      assert.strictEqual(yield* balance(somebody), 3n)
    })))

  it.effect("knows a transaction that still waits when it is told that the node has it", () =>
    run(
      Effect.gen(function*() {
        const wallet = yield* Wallet.Wallet
        const transactions = yield* Transactions.Transactions
        const { address: from } = yield* account
        yield* wallet.sendValue({ from, to: somebody, value: 1n, payer: FeeDelegation.sender })
        const first = yield* wallet.sendValue({ from, to: somebody, value: 2n, payer: FeeDelegation.sender })
        const rlp = first._tag === "Sent" ? first.result?.rlp ?? "" : ""
        const again = yield* transactions.send({
          request: { _tag: "Rlp", rlp, from },
          payer: FeeDelegation.sender
        })
        assert.deepStrictEqual(
          again._tag === "Sent" && [again.transactionHash, again.found?.state],
          first._tag === "Sent" && [first.transactionHash, "waiting"]
        )
      }),
      { mining: "manual" }
    ))

  it.effect("fails as not sent, with the service's code, when the service or its node refuses", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const { address: from } = yield* account
      const refused = (more: Partial<Wallet.SendValueInput>) =>
        Effect.map(
          Effect.flip(wallet.sendValue({ from, to: somebody, value: 1n, payer: FeeDelegation.sender, ...more })),
          (failure) => {
            const reason = failure._tag === "NotSent" ? failure.reason : undefined
            const refusal = reason?._tag === "InsufficientFunds" ? reason.refusal : reason
            return refusal !== undefined && "code" in refusal
              ? [WalletCode.name(refusal), WalletCode.nodeMessage(refusal)]
              : failure
          }
        )
      assert.deepStrictEqual(yield* refused({ from: somebody }), ["unusableAccount", undefined])
      assert.deepStrictEqual(yield* refused({ payer: FeeDelegation.user(somebody) }), ["unknownFeePayer", undefined])
      assert.deepStrictEqual(yield* refused({ value: 200n * klay }), [
        "nodeRefused",
        "insufficient funds of the sender for value"
      ])
    })))

  it.effect("ends pending for a multisig account, and in a hash when its signers have signed", () =>
    run(Effect.gen(function*() {
      const wallet = yield* Wallet.Wallet
      const multisig = yield* Multisig.Multisig
      const transactions = yield* Transactions.Transactions
      const { address: from } = yield* account
      const [one, two] = [yield* account, yield* account]
      yield* multisig.updateMultiSig({
        address: from,
        threshold: 2,
        weightedKeys: [{ publicKey: one.publicKey, weight: 1 }, { publicKey: two.publicKey, weight: 1 }]
      })
      const pending = yield* wallet.sendValue({ from, to: somebody, value: 4n, payer: FeeDelegation.service })
      const transactionId = pending._tag === "Pending" ? pending.transactionId : ""
      const waiting = yield* Stream.runCollect(multisig.getPendingTransactions.items({ address: two.address }))
      assert.deepStrictEqual<unknown>(
        Chunk.toReadonlyArray(waiting).map((
          held
        ) => [held.transactionId, held.address, held.status, held.txData.value]),
        [[transactionId, from, 2, 4n]]
      )
      const signed = yield* multisig.signPending({ address: one.address, transactionId })
      assert.deepStrictEqual<unknown>([signed.status, signed.reminders], ["Signed", [two.address]])
      const signature = yield* multisig.getSignature({ address: two.address, transactionId })
      const sent = yield* multisig.addSignatures({ transactionId, signatures: [signature] })
      assert.deepStrictEqual([sent.status, sent.signedWeight], ["Submitted", 2])
      const receipt = yield* transactions.getTransaction({ transactionHash: sent.transactionHash ?? "" })
      assert.deepStrictEqual<unknown>([receipt.status, receipt.from, receipt.value], ["Committed", from, 4n])
      const late = yield* Effect.flip(multisig.signPending({ address: two.address, transactionId }))
      assert.strictEqual("code" in late && WalletCode.name(late), "alreadySubmitted")
      assert.strictEqual("code" in late && WalletCode.namedHash(late), sent.transactionHash)
    })))

  it.effect("makes every kind of transaction, whoever pays, and each is in a block", () =>
    run(Effect.gen(function*() {
      const transactions = yield* Transactions.Transactions
      const accounts = yield* Accounts.Accounts
      const { address: payer } = yield* accounts.createFeePayer()
      const on = yield* chain
      yield* on.fund(hex(payer), 10n * klay)
      const code = "0x6001600c60003960016000f300"
      const ways = [
        [FeeDelegation.sender, 0],
        [FeeDelegation.service, 1],
        [FeeDelegation.user(payer), 1]
      ] as const
      for (const [by, step] of ways) {
        const { address: from } = yield* account
        const ask = (request: Transactions.SendInput["request"]) =>
          Effect.gen(function*() {
            const sent = yield* transactions.send({ request, payer: by })
            if (sent._tag !== "Sent") return yield* Effect.die(sent._tag)
            const record = yield* Effect.flatten(on.transaction(hex(sent.transactionHash)))
            assert.deepStrictEqual([record.status, record.typeInt], [1, sent.result?.typeInt])
            return record
          })
        const deployed = yield* ask({ _tag: "Deploy", from, input: code })
        const to = deployed.contractAddress ?? ""
        const types = [
          deployed.typeInt,
          (yield* ask({ _tag: "Execute", from, to, input: "0x12" })).typeInt,
          (yield* ask({ _tag: "Anchor", from, input: "0x12" })).typeInt,
          (yield* ask({ _tag: "Value", from, to: somebody, value: 1n, memo: "memo" })).typeInt,
          (yield* ask({ _tag: "Cancel", from, nonce: 4 })).typeInt,
          (yield* ask({ _tag: "AccountUpdate", from, accountKey: key })).typeInt
        ]
        assert.deepStrictEqual(types, [40, 48, 72, 16, 56, 32].map((type) => type + step))
        const gone = yield* Effect.flip(
          transactions.send({ request: { _tag: "Anchor", from, input: "0x12" }, payer: by })
        )
        const { reason } = gone._tag === "NotSent" ? gone : { reason: undefined }
        assert.strictEqual(reason !== undefined && "code" in reason && WalletCode.name(reason), "unusableAccount")
      }
    })))
})
