import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import {
  account,
  chain,
  feePayer,
  globalPayer,
  hex,
  newAccount,
  run,
  somebody,
  unitPrice
} from "./support/walletStory.js"
import { ask, refusal } from "./support/wire.js"

const unwrap = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A => {
  if (!result.ok) throw new Error("the test's own transaction is wrong")
  return result.value
}

const base = { nonce: 0n, gas: 1_000_000n, gasPrice: unitPrice, to: somebody, value: 5n } as const

describe("A raw transaction", () => {
  it.effect("may be the bytes that its sender signs, on all three paths", () =>
    run(Effect.gen(function*() {
      const from = hex(yield* account)
      const user = hex(yield* feePayer)
      const global = yield* globalPayer
      const rows = [
        ["", {}, unwrap(Transaction.make({ type: "ValueTransfer", from, ...base }))],
        ["", { from }, unwrap(Transaction.make({ type: "LegacyTransaction", input: "0x", ...base }))],
        ["/fd", {}, unwrap(Transaction.make({ type: "FeeDelegatedValueTransfer", from, feePayer: global, ...base }))],
        [
          "/fd",
          { feeRatio: 30 },
          unwrap(Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", from, feeRatio: 30, ...base }))
        ],
        [
          "/fd-user",
          { feePayer: user },
          unwrap(Transaction.make({ type: "FeeDelegatedSmartContractExecution", from, input: "0x1234", ...base }))
        ]
      ] as const
      for (const [prefix, more, transaction] of rows) {
        const forms = [
          unwrap(Transaction.senderPayload(transaction, 1001)),
          unwrap(Transaction.encode(transaction))
        ]
        const [bySigRlp, byRlp] = yield* Effect.forEach(forms, (rlp) =>
          ask("POST", `/v2/tx${prefix}/rlp`, { rlp, submit: false, ...more }))
        assert.strictEqual(bySigRlp?.status, 200, `${transaction.type} ${JSON.stringify(bySigRlp?.body)}`)
        assert.deepStrictEqual(bySigRlp, byRlp, transaction.type)
      }
      const [, , value] = rows[0]
      for (const rlp of [unwrap(Transaction.senderPayload(value, 8217)), "0xc3018080", "0xc4c0018080"] as const) {
        assert.deepStrictEqual(
          refusal(yield* ask("POST", "/v2/tx/rlp", { rlp, submit: false })),
          [400, 1061615, "its value is out of range; rlp", false]
        )
      }
    })))
})

describe("A signature", () => {
  const twice = Effect.gen(function*() {
    const from = yield* account
    const body = { from, to: somebody, value: "0x1", nonce: 1, submit: false }
    const [first, second] = [yield* ask("POST", "/v2/tx/value", body), yield* ask("POST", "/v2/tx/value", body)]
    return [first.body, second.body]
  })

  it.effect("is another one each time, so that the same payment asked for again has another hash", () =>
    Effect.provide(
      Effect.gen(function*() {
        const [first, second] = yield* twice
        assert.deepStrictEqual({ ...first, rlp: "", signatures: [] }, { ...second, rlp: "", signatures: [] })
        assert.notDeepEqual(first.signatures, second.signatures)
        const hashOf = (rlp: string) => unwrap(Transaction.hash(unwrap(Transaction.decode(hex(rlp)))))
        assert.notStrictEqual(hashOf(first.rlp), hashOf(second.rlp))
        const from = yield* account
        const payment = { from, to: somebody, value: "0x1", submit: true }
        const sent = yield* ask("POST", "/v2/tx/value", payment)
        const again = yield* ask("POST", "/v2/tx/value", { ...payment, nonce: 1 })
        assert.deepStrictEqual([sent.status, again.status], [200, 200])
        assert.notStrictEqual(sent.body.transactionHash, again.body.transactionHash)
      }),
      Sandbox.layer({ feePayerStyle: "paths" })
    ))

  it.effect("is the same each time where a seed makes all repeatable", () =>
    run(Effect.map(twice, ([first, second]) => assert.deepStrictEqual(first, second))))
})

describe("What the service takes", () => {
  it.effect("an odd number of digits is no code for a deployment, whoever pays", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const feePayers = { feePayer: yield* feePayer }
      for (const prefix of ["", "/fd", "/fd-user"]) {
        const { body, status } = yield* ask("POST", `/v2/tx${prefix}/contract/deploy`, {
          from,
          input: "0x123",
          ...(prefix === "/fd-user" && feePayers)
        })
        assert.deepStrictEqual([status, body.input], [200, "0x"], prefix)
      }
    })))

  it.effect("an account of several keys has no transaction of the oldest form, and none that waits", () =>
    run(Effect.gen(function*() {
      const multi = yield* newAccount()
      const signers = yield* Effect.forEach([1, 2], () => newAccount())
      const weightedKeys = signers.map(({ publicKey }) => ({ publicKey, weight: 1 }))
      yield* ask("PUT", `/v2/account/${multi.address}/multisig`, { threshold: 2, weightedKeys })
      const from = String(multi.address).toLowerCase()
      const refused = [
        400,
        1065001,
        "failed to send a raw transaction to klaytn node; -32000::invalid sender: a legacy transaction must be with a legacy account key",
        true
      ]
      const body = { from, to: somebody, value: "0x1", submit: true }
      assert.deepStrictEqual(refusal(yield* ask("POST", "/v2/tx/legacy", body)), refused)
      const legacy = unwrap(Transaction.make({ type: "LegacyTransaction", input: "0x", ...base, nonce: 1n }))
      const rlp = unwrap(Transaction.encode(legacy))
      assert.deepStrictEqual(refusal(yield* ask("POST", "/v2/tx/rlp", { rlp, from, submit: true })), refused)
      assert.strictEqual((yield* ask("GET", `/v2/multisig/account/${from}/tx`)).body.code, 1061010)
      assert.strictEqual(yield* (yield* chain).pendingNonce(hex(from)), 1n)
      const { body: held } = yield* ask("POST", "/v2/tx/value", body)
      assert.deepStrictEqual([held.status, held.nonce], ["Pending", 1])
    })))
})
