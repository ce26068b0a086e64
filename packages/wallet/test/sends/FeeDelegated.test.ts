/** Raw transactions whose fee payer signs anew, and who pays. */
import * as Testing from "@effect-klaytn/core/Testing"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Client from "../../../core/test/support/client.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import type * as SpendPolicy from "../../src/SpendPolicy.js"
import { has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob } = Records

const open: SpendPolicy.Service = { authorise: () => Effect.succeed({ release: Effect.void }) }
const options = { ...Service.withNode, policy: open }

const get = <A>(result: Result<A>): A => {
  if (!result.ok) throw result.error
  return result.value
}

const chainId = 1001

/** Answers as public clients of the service show them. */
const published = {
  service: {
    rlp:
      "0x09f8dc018505d21dba0082c3509476c6b1f34562ed7a843786e1d7f57d0d7948a6f101942d903845cc553f13c76ad6748304ed998ab050eff847f8458207f6a00c641e9a0cd50a62242e6998108a02ebacc89d48dd1e6a5a6e67524fd5d46e3ba06864a8891408c61e1cab4ffe8f76c945fa68f41bb36b926590f150429aeb2c34941b71a63903e35371e2fc41c6012effb99b9a2c0ff847f8458207f5a07ebe3dd5fec86fca2acb22798f3c1f81729b5db26dce26d12f15b4c5d064eda7a0149cb5e8dd5421623965a9431c90c8f293f83dad3ee5c0fea21bc8106a98d344",
    feePayer: "0x1b71a63903e35371e2fc41c6012effb99b9a2c0f",
    from: "0x2d903845cc553f13c76ad6748304ed998ab050ef",
    gas: 50000,
    gasPrice: "0x5d21dba00",
    nonce: 1,
    status: "Submitted",
    to: "0x76c6b1f34562ed7a843786e1d7f57d0d7948a6f1",
    typeInt: 9,
    value: "0x1",
    signatures: [{
      R: "0xc641e9a0cd50a62242e6998108a02ebacc89d48dd1e6a5a6e67524fd5d46e3b",
      S: "0x6864a8891408c61e1cab4ffe8f76c945fa68f41bb36b926590f150429aeb2c34",
      V: "0x7f6"
    }],
    transactionHash: "0x73c845e2244abeaac5f47955f9994f7c48712ff6626b28e46306267af8fa3df8"
  },
  user: {
    rlp:
      "0x09f8dc038505d21dba0082c3509476c6b1f34562ed7a843786e1d7f57d0d7948a6f10194758473e68179c446437b74ca8a74b58706792806f847f8458207f6a0ef617aa7de05d4e807bbc5b9c67ecf05ef067ca6a01aeff6cc81b1f4548216c5a023510f58c1dd82c583cd47302aac1d077c97926ba9bcaa9ca4ad0bc809cf08909444ee3906a7a2007762e9d706df6e4ef63fa1eda8f847f8458207f6a0637426d1221cf48837634c86fb31c96dc2c5f2f847cbdd8cff959308f2331cf0a02299f5f184fa1b9ba545ba6fa90474695b6e4860255f8c3837ec31495f0e0f39",
    feePayer: "0x44ee3906a7a2007762e9d706df6e4ef63fa1eda8",
    from: "0x758473e68179c446437b74ca8a74b58706792806",
    gas: 50000,
    gasPrice: "0x5d21dba00",
    nonce: 3,
    status: "Submitted",
    to: "0x76c6b1f34562ed7a843786e1d7f57d0d7948a6f1",
    typeInt: 9,
    value: "0x1",
    signatures: [{
      R: "0xef617aa7de05d4e807bbc5b9c67ecf05ef067ca6a01aeff6cc81b1f4548216c5",
      S: "0x23510f58c1dd82c583cd47302aac1d077c97926ba9bcaa9ca4ad0bc809cf0890",
      V: "0x7f6"
    }],
    transactionHash: "0x2a7c62262e4ff747afe429992f4f4dd48dc085ccc93c4993c8dd798593fa2d57"
  }
} as const

type Delegated = Transaction.FeeDelegatedTransaction

const decode = (rlp: Hex): Delegated => {
  const transaction = get(Transaction.decode(rlp))
  if (!Transaction.isFeeDelegatedTransaction(transaction)) throw new TypeError("it has no fee payer")
  return transaction
}

const feePayerKey = "0xc64f2cd1196e2a1791365b00c4bc07ab8f047b73152e4617c6ed06ac221a4b0c"

/** The same with the signature of a fee payer of this test. */
const paid = ({ feePayer: _, ...transaction }: Delegated): Delegated =>
  get(Transaction.signAsFeePayer<Delegated>({ ...transaction, feePayerSignatures: [] }, {
    chainId,
    privateKey: feePayerKey
  }))

/** The answer of the same form for a transaction that shares its fee. */
const shared = (answer: typeof published.service | typeof published.user, nonce: bigint) => {
  const made = get(Transaction.make({
    type: "FeeDelegatedValueTransferWithRatio",
    nonce,
    gas: 50_000n,
    gasPrice: 25_000_000_000n,
    to: answer.to,
    from: Old.oldAddress,
    value: 1n,
    feeRatio: 30
  }))
  const signed = get(Transaction.signAsSender(made, { chainId, privateKey: Old.oldKey }))
  const whole = get(
    Transaction.signAsFeePayer(signed, { chainId, privateKey: Old.otherKey, feePayer: answer.feePayer })
  )
  return {
    ...answer,
    from: Old.oldAddress,
    nonce: Number(nonce),
    feeRatio: 30,
    typeInt: 10,
    rlp: get(Transaction.encode(whole)),
    transactionHash: get(Transaction.hash(whole))
  }
}

const answers = [
  ["of the service's fee payer, as published", published.service, FeeDelegation.service, undefined],
  ["of a user fee payer, as published", published.user, FeeDelegation.user(published.user.feePayer), undefined],
  ["of the service's fee payer, with a share", shared(published.service, 4n), FeeDelegation.service, 30],
  ["of a user fee payer, with a share", shared(published.user, 5n), FeeDelegation.user(published.user.feePayer), 30]
] as const

const low = Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")

describe("a raw transaction whose fee payer signs anew", () => {
  for (const [name, answer, payer, feeRatio] of answers) {
    const share = feeRatio === undefined ? {} : { feeRatio }
    const sent = paid(decode(answer.rlp))
    const request = { _tag: "Rlp", rlp: get(Transaction.encode(sent)) } as const
    const mined = {
      hash: answer.transactionHash,
      from: answer.from,
      nonce: answer.nonce,
      typeInt: answer.typeInt,
      to: answer.to,
      value: 1n,
      feePayer: answer.feePayer,
      senderTxHash: get(Transaction.senderHash(sent))
    }

    it.effect(`is sent when the answer has the sender's signature and another hash: ${name}`, () =>
      Effect.gen(function*() {
        assert.notStrictEqual(get(Transaction.hash(sent)), answer.transactionHash)
        const transactions = yield* Service.transactions(Testing.wire(Testing.json(200, answer)), options)
        const end = yield* transactions.send({ request, payer, ...share })
        has(end, {
          _tag: "Sent",
          transactionHash: answer.transactionHash,
          nonce: answer.nonce,
          paidBy: { _tag: "AsAsked", address: answer.feePayer }
        })
      }))

    it.effect(`is found by the sender's part when it is sent again: ${name}`, () =>
      Effect.gen(function*() {
        const wire = Chain.make({ blocks: [[mined]] }, low)
        const transactions = yield* Service.transactions(wire, options)
        const end = yield* transactions.send({ request, payer, ...share })
        has(end, { _tag: "Sent", transactionHash: answer.transactionHash, result: undefined })
        has(end._tag === "Sent" ? end.paidBy : end, { _tag: "AsAsked", address: answer.feePayer })
      }))

    it.effect(`is found after a lost answer: ${name}`, () =>
      Effect.gen(function*() {
        const wire = Chain.make({ blocks: [[mined]] }, Testing.text(502, ""))
        const transactions = yield* Service.transactions(wire, { ...options, ...Service.noRetries })
        const end = yield* Effect.flip(transactions.send({ request, payer, ...share }))
        const verdict = end._tag === "SendUnknown" ? yield* end.reconcile : end
        has(verdict, { _tag: "Executed", certainty: "nonce" })
        const found = verdict._tag === "Executed" ? verdict.transaction : undefined
        assert.strictEqual<string | undefined>(found?.transactionHash, answer.transactionHash)
      }))
  }

  it.effect("is not known when the answer has the content and another sender's signature", () =>
    Effect.gen(function*() {
      const answer = shared(published.service, 4n)
      const { signatures, ...unsigned } = paid(decode(answer.rlp))
      assert.strictEqual(signatures.length, 1)
      const signed = get(Transaction.signAsSender<Delegated>({ ...unsigned, signatures: [] }, {
        chainId,
        privateKey: Old.otherKey
      }))
      const wire = Testing.wire(Testing.json(200, answer))
      const transactions = yield* Service.transactions(wire, { ...options, ...Service.noRetries })
      const request = { _tag: "Rlp", rlp: get(Transaction.encode(signed)) } as const
      const end = yield* Effect.flip(transactions.send({ request, payer: FeeDelegation.service, feeRatio: 30 }))
      assert.include(end.message, "another hash")
    }))
})

const warnings = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => {
    lines.push(String(message))
  })
  return { lines, use: Effect.provide(Logger.replace(Logger.defaultLogger, logger)) }
}

describe("who pays the fee", () => {
  const { payer } = Records
  const delegated = { ...Records.result, typeInt: 9 }
  const rows: ReadonlyArray<
    readonly [
      name: string,
      asked: FeeDelegation.FeePayerInput,
      answer: object,
      told: SendOutcome.PaidBy["_tag"],
      by?: string
    ]
  > = [
    ["the service, and a fee payer does", FeeDelegation.service, { ...delegated, feePayer: payer }, "AsAsked", payer],
    ["the service, and the sender does", FeeDelegation.service, Records.result, "Other", alice],
    ["the service, and the answer names nobody", FeeDelegation.service, delegated, "NotKnown"],
    ["a fee payer, and it does", FeeDelegation.user(payer), { ...delegated, feePayer: payer }, "AsAsked", payer],
    ["a fee payer, and another does", FeeDelegation.user(payer), { ...delegated, feePayer: bob }, "Other", bob],
    ["a fee payer, and the sender does", FeeDelegation.user(payer), Records.result, "Other", alice],
    ["the sender, and it does", FeeDelegation.sender, Records.result, "AsAsked", alice],
    ["the sender, and a fee payer does", FeeDelegation.sender, { ...delegated, feePayer: payer }, "Other", payer]
  ]

  it.effect.each(rows)(
    "is told by the outcome: asked for is %s",
    ([, asked, answer, tag, by]) =>
      Effect.gen(function*() {
        const { rlp: _, ...readable } = { rlp: "", ...answer }
        const { lines, use } = warnings()
        const wire = Testing.wire(Testing.json(200, readable))
        const transactions = yield* Service.transactions(wire, { ...options, ...Service.withPaths })
        const send = transactions.send({
          request: { _tag: "Value", from: alice, to: bob, value: 10n ** 18n },
          payer: asked,
          nonce: 7
        })
        for (let times = 0; times < 2; times++) {
          const end = yield* use(send)
          assert.deepStrictEqual<unknown>(end.paidBy, by === undefined ? { _tag: tag } : { _tag: tag, address: by })
        }
        assert.strictEqual(lines.length, tag === "Other" ? 1 : 0)
        if (tag === "Other") assert.include(lines[0], "KLAYTN_FEE_PAYER_STYLE")
      })
  )

  it.effect("is told of a send that was looked up, and of what a look-up found", () =>
    Effect.gen(function*() {
      const mined = Chain.payment(7, { typeInt: 9, feePayer: payer })
      const wire = Chain.make({ blocks: [[mined]] }, Testing.text(502, ""), low)
      const wallet = yield* Service.wallet(wire, options)
      const { lines, use } = warnings()
      const end = yield* use(
        wallet.sendValue({ from: alice, to: bob, value: 10n ** 18n, payer: FeeDelegation.user(bob), nonce: 7 })
      ).pipe(Client.longestWaits, Client.within("1 minute"))
      assert.deepStrictEqual<unknown>(end.paidBy, { _tag: "Other", address: payer })
      assert.isAtLeast(lines.filter((line) => line.includes("pays the fee")).length, 1)
      const found = end._tag === "Sent" ? end.found : undefined
      assert.deepStrictEqual<unknown>(found && SendOutcome.paidBy({ _tag: "ServiceFeePayer" }, found), {
        _tag: "AsAsked",
        address: payer
      })
    }))

  it("knows for every type whether it has a fee payer", () => {
    for (const type of TransactionType.all) {
      const told = { from: alice, typeInt: TransactionType.typeInt(type) } as never
      const { _tag } = SendOutcome.paidBy({ _tag: "SenderPays" }, told)
      assert.strictEqual(_tag, TransactionType.isFeeDelegated(type) ? "NotKnown" : "AsAsked")
    }
  })
})
