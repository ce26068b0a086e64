import * as Address from "@effect-klaytn/core/Address"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SpendPolicy from "../../src/SpendPolicy.js"
import type * as Transactions from "../../src/Transactions.js"
import { has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob } = Records

const klay = 10n ** 18n

const ok = Testing.json(200, Records.result)

const privateKey = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"

/** A signed legacy transaction, as its bytes. */
const legacy = (
  more: { readonly to?: string; readonly value?: bigint; readonly gas?: bigint; readonly gasPrice?: bigint }
) => {
  const { to, ...rest } = more
  const made = Transaction.make({
    type: "LegacyTransaction",
    nonce: 7n,
    gas: 21_000n,
    gasPrice: 25_000_000_000n,
    value: 0n,
    input: "0x",
    ...rest,
    ...(to === undefined ? {} : { to: `0x${to.slice(2)}` })
  })
  const signed = made.ok ? Transaction.signAsSender(made.value, { chainId: 1001, privateKey }) : made
  const encoded = signed.ok ? Transaction.encode(signed.value) : signed
  assert.isTrue(encoded.ok)
  return encoded.ok ? encoded.value : ""
}

const raw = (rlp: string): Transactions.SendInput => ({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender })

/** What a policy says of a send, without a word on the wire if it refuses. */
const refusalOf = (policy: SpendPolicy.Rules, send: Transactions.SendInput) =>
  Effect.gen(function*() {
    const wire = Testing.wire(ok)
    const transactions = yield* Service.transactions(wire, { policy })
    const end = yield* Effect.flip(transactions.send(send))
    assert.strictEqual(wire.sent.length, 0)
    return end._tag === "NotSent" ? end.reason : end
  })

describe("a policy of rules", () => {
  it.effect("treats a raw transaction as the same one that is not raw", () =>
    Effect.gen(function*() {
      const rules = { recipients: [bob], maxPerTransaction: 10n * klay }
      const creations: ReadonlyArray<Transactions.SendInput> = [
        raw(legacy({ value: 5n * klay })),
        { request: { _tag: "Legacy", from: alice, value: 5n * klay }, payer: FeeDelegation.sender }
      ]
      for (const creation of creations) {
        has(yield* refusalOf(rules, creation), { _tag: "SpendRefused", rule: "opaque" })
        has(yield* refusalOf({ ...rules, opaque: "allow" }, creation), { _tag: "SpendRefused", rule: "recipient" })
      }
      const payments: ReadonlyArray<Transactions.SendInput> = [
        raw(legacy({ to: alice, value: 5n * klay })),
        { request: { _tag: "Legacy", from: alice, to: alice, value: 5n * klay }, payer: FeeDelegation.sender }
      ]
      for (const payment of payments) has(yield* refusalOf(rules, payment), { rule: "recipient" })
    }))

  it.effect("names who may not receive, and asks of no receiver only where value moves", () =>
    Effect.gen(function*() {
      const { authorise } = yield* SpendPolicy.make({ recipients: [bob] })
      const spend = { chain: 1001, operation: "wallet.send", from: undefined, fee: 0n, opaque: false } as const
      const refused = yield* Effect.flip(authorise({ ...spend, to: Either.getOrThrow(Address.make(alice)), value: 0n }))
      assert.strictEqual(
        refused.message,
        `the spending policy refused (recipient): ${Records.aliceChecksum} is not one of the allowed recipients`
      )
      const created = yield* Effect.flip(authorise({ ...spend, to: undefined, value: 1n }))
      assert.match(created.message, /: a contract that is yet to be created is not one of/)
      yield* authorise({ ...spend, to: undefined, value: 0n })
    }))

  it.effect("counts the fee that raw bytes name, 5 KLAY at most unless it says otherwise", () =>
    Effect.gen(function*() {
      const costly = (fee: bigint) => raw(legacy({ to: bob, gas: 100_000n, gasPrice: fee / 100_000n }))
      for (const rules of [{ maxPerTransaction: 1n }, { window: { max: 1n, duration: "1 hour" } }, {}] as const) {
        has(yield* refusalOf(rules, costly(100_000n * klay)), { _tag: "SpendRefused", rule: "fee" })
        has(yield* refusalOf(rules, costly(5n * klay + 100_000n)), { rule: "fee" })
      }
      has(yield* refusalOf({ maxFeePerTransaction: klay }, costly(klay + 100_000n)), { rule: "fee" })
      for (
        const [rules, fee] of [[{ maxPerTransaction: 0n }, 5n], [{ maxFeePerTransaction: 6n * klay }, 6n]] as const
      ) {
        const wire = Testing.wire(Testing.text(502, ""))
        const transactions = yield* Service.transactions(wire, { policy: rules, ...Service.noRetries })
        assert.strictEqual((yield* Effect.flip(transactions.send(costly(fee * klay))))._tag === "NotSent", false)
        assert.isAbove(wire.sent.length, 0)
      }
    }))

  it.effect("counts fees of the service's choice by the highest price it was seen to name", () =>
    Effect.gen(function*() {
      const payment = {
        request: { _tag: "Value", from: alice, to: bob, value: 1n },
        payer: FeeDelegation.service,
        nonce: 7
      } as const
      const bound = 1_000_000n * 750n * 10n ** 9n
      has(yield* refusalOf({ maxFeePerTransaction: bound - 1n }, payment), { rule: "fee" })
      has(yield* refusalOf({ maxFeePerTransaction: bound / 10n - 1n }, { ...payment, gasLimit: 100_000 }), {
        rule: "fee"
      })
      const deployment = {
        request: { _tag: "Deploy", from: alice, input: "0x01" },
        payer: FeeDelegation.service
      } as const
      has(yield* refusalOf({ opaque: "allow" }, deployment), { rule: "fee" })
    }))

  it.effect("bounds the fees of a window together", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: klay, maxFees: 2n * klay, duration: "1 hour" } })
      const transactions = yield* Service.transactions(Testing.wire(Testing.text(502, "")), {
        policy,
        ...Service.noRetries
      })
      const send = (nonce: number) =>
        Effect.flip(transactions.send({
          request: { _tag: "Value", from: alice, to: bob, value: 1n },
          payer: FeeDelegation.service,
          nonce
        }))
      assert.notStrictEqual((yield* send(1))._tag, "NotSent")
      assert.notStrictEqual((yield* send(2))._tag, "NotSent")
      const third = yield* send(3)
      has(third._tag === "NotSent" ? third.reason : third, { _tag: "SpendRefused", rule: "window" })
    }))
})

describe("without a policy", () => {
  it.effect("nothing that changes anything goes out on mainnet", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const options = { chain: 8217 } as const
      const wallet = yield* Service.wallet(wire, options)
      const additions = yield* Service.administration(wire, options)
      const { keyId: testnetKey } = Records.key()
      const keyId = testnetKey.replace("1001", "8217")
      const pending = { address: alice, transactionId: Records.hash }
      const weightedKeys = [{ publicKey: Records.publicKey, weight: 1 }]
      const changes: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        wallet.createAccount,
        Stream.runDrain(wallet.createKeys(1)),
        Stream.runDrain(wallet.registerAccounts([{ keyId, address: alice, rlp: "0x1234" }])),
        Stream.runDrain(wallet.registerAccounts([{ keyId, address: Old.oldAddress, rlp: Old.rlp[8217] }])),
        Stream.runDrain(wallet.registerAccounts([{ keyId, address: alice }])),
        additions.deleteAccount({ address: alice }),
        additions.disableAccount({ address: alice }),
        additions.enableAccount({ address: alice }),
        additions.updateMultiSig({ address: alice, threshold: 1, weightedKeys }),
        additions.createFeePayer(),
        additions.deleteFeePayer({ address: alice }),
        additions.deleteKey({ keyId }),
        additions.sign({ keyId, data: Records.hash }),
        additions.signPending(pending),
        additions.getSignature(pending),
        additions.addSignatures({ transactionId: Records.hash, signatures: [{ V: 1n, R: 1n, S: 1n }] })
      ]
      for (const [index, change] of changes.entries()) {
        const exit = yield* Effect.exit(change)
        assert.strictEqual(
          exit._tag === "Failure" ? [...Cause.failures(exit.cause)][0]?._tag : "",
          "SpendRefused",
          `change ${index}`
        )
      }
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("what takes accounts and keys away asks a policy of rules to allow it by name", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { status: "deleted" }))
      const strict = yield* Service.administration(wire, { policy: {} })
      assert.strictEqual((yield* Effect.flip(strict.deleteAccount({ address: alice })))._tag, "SpendRefused")
      assert.strictEqual(wire.sent.length, 0)
      const open = yield* Service.administration(wire, { policy: { opaque: "allow" } })
      yield* open.deleteAccount({ address: alice })
      assert.strictEqual(wire.sent.length, 1)
    }))
})

describe("what a policy granted", () => {
  it.effect("is given back by a change that was certainly not made, and kept by one that may have been", () =>
    Effect.gen(function*() {
      let released = 0
      const policy: SpendPolicy.Service = {
        authorise: () => Effect.succeed({ release: Effect.sync(() => void released++) })
      }
      const wrongKey = Testing.json(401, { code: 1010009, message: "no" })
      const refused = yield* Service.administration(Testing.wire(wrongKey), { policy })
      yield* Effect.flip(refused.deleteAccount({ address: alice }))
      assert.strictEqual(released, 1)
      const unsent = Testing.wire(Testing.broken(Testing.networkError("ENOTFOUND")))
      yield* Effect.flip(
        (yield* Service.administration(unsent, { policy, ...Service.noRetries })).deleteAccount({ address: alice })
      )
      assert.strictEqual(released, 2)
      // What depends on state says nothing about another copy of the request.
      const denied = yield* Service.administration(Testing.wire(Service.refusal(1069999, "not today")), { policy })
      yield* Effect.flip(denied.deleteAccount({ address: alice }))
      const broken = yield* Service.administration(Testing.wire(Testing.text(502, "")), {
        policy,
        ...Service.noRetries
      })
      assert.strictEqual((yield* Effect.flip(broken.deleteAccount({ address: alice })))._tag, "OutcomeUnknown")
      assert.strictEqual(released, 2)
      const chain: Chain.Chain = { blocks: [[Chain.payment(0)]] }
      const send = { from: alice, to: bob, value: klay, payer: FeeDelegation.service, nonce: 1 }
      const funds = Service.refusal(
        1065001,
        "failed to send a raw transaction to klaytn node; -32000::insufficient funds"
      )
      for (const [step, proof, times] of [[funds, "lookup", 2], [wrongKey, "refused", 3]] as const) {
        const wallet = yield* Service.wallet(Chain.make(chain, step), { ...Service.withNode, policy })
        has(yield* Effect.flip(wallet.sendValue(send)), { _tag: "NotSent", proof })
        assert.strictEqual(released, times)
      }
    }))
})

describe("a window that several clients share", () => {
  const send = { from: alice, to: bob, value: klay, payer: FeeDelegation.service }
  const shared = SpendPolicy.make({ window: { max: 3n * klay, maxFees: 3n * klay, duration: "1 day" } })

  const walletOf = (policy: SpendPolicy.Service, ...steps: ReadonlyArray<Testing.Step>) =>
    Service.wallet(Testing.wire(...steps), { policy, ...Service.noRetries })

  it.effect("counts a plan with a nonce once, however often it is executed, and another plan by itself", () =>
    Effect.gen(function*() {
      const wallet = yield* walletOf(yield* shared, Testing.text(502, ""))
      const plan = yield* wallet.plan({ ...send, value: 2n * klay, nonce: 7 })
      for (let times = 0; times < 3; times++) has(yield* Effect.flip(wallet.execute(plan)), { _tag: "SendUnknown" })
      const other = yield* wallet.plan({ ...send, value: 2n * klay, nonce: 8 })
      has(yield* Effect.flip(wallet.execute(other)), { _tag: "NotSent" })
      const without = yield* wallet.plan({ ...send, value: klay })
      has(yield* Effect.flip(wallet.execute(without)), { _tag: "SendUnknown" })
      has(yield* Effect.flip(wallet.execute(without)), { _tag: "NotSent" })
    }))

  it.effect("keeps a plan counted that one client may have sent, though another could not send it", () =>
    Effect.gen(function*() {
      const policy = yield* shared
      const one = yield* walletOf(policy, Testing.text(502, ""))
      const other = yield* walletOf(policy, Service.refusal(1065100, "failed to get an account"))
      const plan = yield* one.plan({ ...send, value: 3n * klay, nonce: 7 })
      has(yield* Effect.flip(one.execute(plan)), { _tag: "SendUnknown" })
      has(yield* Effect.flip(other.execute(plan)), { _tag: "NotSent" })
      const next = yield* one.plan({ ...send, value: klay, nonce: 8 })
      assert.include((yield* Effect.flip(one.execute(next))).message, "0 KLAY that are left")
    }))
})
