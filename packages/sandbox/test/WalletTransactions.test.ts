import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { account, chain, feePayer, globalPayer, hex, proven, run, somebody, unitPrice } from "./support/walletStory.js"
import { ask } from "./support/wire.js"

/** Creates a contract whose code is one STOP. */
const code = "0x6001600c60003960016000f300"

type Record = { readonly [field: string]: unknown }

interface Row {
  readonly name: string
  readonly method: string
  /** Behind `/v2/tx`, and `/fd` or `/fd-user` where somebody else pays. */
  readonly path: string
  readonly body: Record
  /** The number of the type when the sender pays. */
  readonly typeInt: number
  readonly fields: Record
  readonly gas?: number
}

const key =
  `0x04${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}${"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"}`
const compressed = `0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798`

const rows = (contract: string): ReadonlyArray<Row> => [
  {
    name: "a value",
    method: "POST",
    path: "/value",
    body: { to: somebody, value: "0x10" },
    typeInt: 8,
    fields: { to: somebody, value: "0x10" }
  },
  {
    name: "a value with a memo",
    method: "POST",
    path: "/value",
    body: { to: somebody, value: "0x0", memo: "0x123" },
    typeInt: 16,
    fields: { to: somebody, value: "0x0", input: "0x3078313233" }
  },
  {
    name: "a deployment",
    method: "POST",
    path: "/contract/deploy",
    body: { input: code },
    typeInt: 40,
    fields: { value: "0x0", input: code },
    gas: 9_000_000
  },
  {
    name: "a call",
    method: "POST",
    path: "/contract/execute",
    body: { to: contract, input: "0xABCD", gas: 700_000 },
    typeInt: 48,
    fields: { to: contract, value: "0x0", input: "0xabcd" },
    gas: 700_000
  },
  {
    name: "a call whose input has an odd number of digits",
    method: "POST",
    path: "/contract/execute",
    body: { to: contract, input: "0x123", value: "0x0" },
    typeInt: 48,
    fields: { to: contract, value: "0x0", input: "0x" }
  },
  {
    name: "an anchor",
    method: "POST",
    path: "/anchor",
    body: { input: "0x1234" },
    typeInt: 72,
    fields: { input: "0x1234" }
  }
]

const payments: ReadonlyArray<
  { readonly name: string; readonly prefix: string; readonly more: Record; readonly step: number }
> = [
  { name: "the sender pays", prefix: "", more: {}, step: 0 },
  { name: "the service pays", prefix: "/fd", more: { feeRatio: 0 }, step: 1 },
  { name: "the service pays a part", prefix: "/fd", more: { feeRatio: 30 }, step: 2 },
  { name: "a fee payer pays", prefix: "/fd-user", more: {}, step: 1 },
  { name: "a fee payer pays a part", prefix: "/fd-user", more: { feeRatio: 99 }, step: 2 }
]

/** Asks for a transaction once signed only, and once sent, and checks both records whole. */
const check = (
  row: Row,
  { from, payer, ratio, step, url }: {
    readonly from: string
    readonly url: string
    readonly step: number
    readonly payer: string | undefined
    readonly ratio: unknown
  },
  body: Record
) =>
  Effect.gen(function*() {
    const on = yield* chain
    for (const submit of [false, true]) {
      const nonce = yield* on.pendingNonce(hex(from))
      const { body: record, status } = yield* ask(row.method, url, { from, ...body, submit })
      assert.strictEqual(status, 200, `${row.name}: ${JSON.stringify(record)}`)
      const proof = proven(record.rlp)
      assert.deepStrictEqual(record, {
        from,
        gas: row.gas ?? 1_000_000,
        gasPrice: "0x66720b300",
        nonce: Number(nonce),
        typeInt: row.typeInt + step,
        ...row.fields,
        ...(payer !== undefined && { feePayer: payer }),
        ...(step === 2 && { feeRatio: ratio }),
        rlp: record.rlp,
        signatures: proof.signatures,
        ...(submit && { status: "Submitted", transactionHash: proof.hash })
      })
      assert.deepStrictEqual([proof.sender, proof.feePayer], [from, payer], row.name)
      const mined = yield* on.transaction(hex(proof.hash))
      assert.strictEqual(Option.isSome(mined), submit)
      if (Option.isSome(mined)) assert.strictEqual(mined.value.status, 1, row.name)
    }
  })

describe("Transactions of the wallet", () => {
  for (const { more, name, prefix, step } of payments) {
    it.effect(`are told whole where ${name}, signed only and sent`, () =>
      run(Effect.gen(function*() {
        const from = yield* account
        const deployed = yield* ask("POST", "/v2/tx/contract/deploy", { from, input: code, submit: true })
        const record = yield* Effect.flatten((yield* chain).transaction(deployed.body.transactionHash))
        const user = prefix === "/fd-user" ? yield* feePayer : undefined
        const payer = user ?? (prefix === "/fd" ? yield* globalPayer : undefined)
        for (const row of rows(record.contractAddress ?? "")) {
          yield* check(row, { from, url: `/v2/tx${prefix}${row.path}`, step, payer, ratio: more["feeRatio"] }, {
            ...row.body,
            ...more,
            ...(user !== undefined && { feePayer: user })
          })
        }
      })))

    it.effect(`cancel a nonce where ${name}`, () =>
      run(Effect.gen(function*() {
        const from = yield* account
        const user = prefix === "/fd-user" ? yield* feePayer : undefined
        const payer = user ?? (prefix === "/fd" ? yield* globalPayer : undefined)
        yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x0", submit: true })
        for (const submit of [false, true]) {
          const { body, status } = yield* ask("DELETE", `/v2/tx${prefix}`, {
            from,
            nonce: 1,
            submit,
            ...more,
            ...(user !== undefined && { feePayer: user })
          })
          const { hash, signatures } = proven(body.rlp)
          assert.deepStrictEqual([status, body], [200, {
            from,
            gas: 1_000_000,
            gasPrice: "0x66720b300",
            nonce: 1,
            typeInt: 56 + step,
            ...(payer !== undefined && { feePayer: payer }),
            ...(step === 2 && { feeRatio: more["feeRatio"] }),
            rlp: body.rlp,
            signatures,
            ...(submit && { status: "Submitted", transactionHash: hash })
          }])
        }
      })))

    it.effect(`change the key of an account where ${name}, in each of its forms`, () =>
      run(Effect.gen(function*() {
        const user = prefix === "/fd-user" ? yield* feePayer : undefined
        const payer = user ?? (prefix === "/fd" ? yield* globalPayer : undefined)
        const weighted = { threshold: 2, weightedKeys: [{ publicKey: key, weight: 2 }] }
        const multisig = `0x04e602e4e302a1${compressed.slice(2)}`
        const forms: ReadonlyArray<readonly [unknown, string]> = [
          [{ keyType: 1 }, "0x01c0"],
          [{ keyType: 2, key }, `0x02a1${compressed.slice(2)}`],
          [{ keyType: 3 }, "0x03c0"],
          [{ keyType: 4, key: weighted }, multisig],
          [
            { keyType: 5, key: [{ keyType: 2, key }, { keyType: 3, key: {} }, { keyType: 4, key: weighted }] },
            `0x05f850a302a1${compressed.slice(2)}8203c0a8${multisig.slice(2)}`
          ]
        ]
        for (const [accountKey, encoded] of forms) {
          const from = yield* account
          yield* check(
            { name: encoded, method: "PUT", path: "/account", body: {}, typeInt: 32, fields: { accountKey: encoded } },
            { from, url: `/v2/tx${prefix}/account`, step, payer, ratio: more["feeRatio"] },
            { accountKey, ...more, ...(user !== undefined && { feePayer: user }) }
          )
        }
      })))

    it.effect(`are taken as raw bytes where ${name}, unsigned or signed`, () =>
      run(Effect.gen(function*() {
        const from = yield* account
        const user = prefix === "/fd-user" ? yield* feePayer : undefined
        const payer = user ?? (prefix === "/fd" ? yield* globalPayer : undefined)
        const nonce = yield* (yield* chain).pendingNonce(hex(from))
        const fields = { nonce, gasPrice: unitPrice, gas: 500_000n, from: hex(from), to: hex(somebody), value: 16n }
        const made = step === 0
          ? Transaction.make({ type: "ValueTransfer", ...fields })
          : step === 1
          ? Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields })
          : Transaction.make({
            type: "FeeDelegatedValueTransferWithRatio",
            ...fields,
            feeRatio: Number(more["feeRatio"])
          })
        const raw = made.ok ? Transaction.encode(made.value) : made
        if (!raw.ok) throw raw.error
        const row = {
          name: "raw",
          method: "POST",
          path: "/rlp",
          body: {},
          typeInt: 8,
          fields: { to: somebody, value: "0x10" },
          gas: 500_000
        }
        const given = { rlp: raw.value, ...more, ...(user !== undefined && { feePayer: user }) }
        const url = `/v2/tx${prefix}/rlp`
        const signed = yield* ask("POST", url, { ...given, submit: false })
        yield* check(row, { from, url, step, payer, ratio: more["feeRatio"] }, given)
        const twice = yield* ask("POST", url, { ...given, rlp: signed.body.rlp, submit: true })
        assert.deepStrictEqual(
          [twice.status, twice.body.code, twice.body.message],
          [400, 1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low"]
        )
      })))
  }

  it.effect("of the oldest form name no type and create a contract without a receiver", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const legacy = { name: "legacy", method: "POST", path: "/legacy", body: {}, typeInt: 0 }
      const way = { from, url: "/v2/tx/legacy", step: 0, payer: undefined, ratio: undefined }
      yield* check(
        { ...legacy, fields: { to: somebody, value: "0x7", input: "0x" } },
        way,
        { to: somebody, value: "0x7", input: "0x123" }
      )
      yield* check({ ...legacy, fields: { value: "0x0", input: code } }, way, { input: code })
      const made = Transaction.make({
        type: "LegacyTransaction",
        nonce: 2n,
        gasPrice: unitPrice,
        gas: 1_000_000n,
        to: somebody,
        value: 1n,
        input: "0x"
      })
      const raw = made.ok ? Transaction.encode(made.value) : made
      if (!raw.ok) throw raw.error
      const { body: nobody } = yield* ask("POST", "/v2/tx/rlp", { rlp: raw.value, submit: true })
      assert.deepStrictEqual(nobody, { code: 1061608, message: "cannot be empty or zero value; from" })
      const unsent = yield* ask("POST", "/v2/tx/rlp", { rlp: raw.value, from, submit: false })
      const sent = yield* ask("POST", "/v2/tx/rlp", { rlp: unsent.body.rlp, submit: true })
      assert.deepStrictEqual([sent.body.from, sent.body.typeInt, sent.body.status], [from, 0, "Submitted"])
    })))
})
