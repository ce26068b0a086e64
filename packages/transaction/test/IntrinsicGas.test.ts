import { assert, describe, it } from "@effect/vitest"
import type { Hardfork } from "../src/Hardfork.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, load } from "./fixtures.js"

const base = { nonce: 0n, gas: 1n, gasPrice: 1n, from: K1.address } as const
const transfer = { ...base, to: K2.address, value: 1n } as const
const publicKey = { type: "AccountKeyPublic", publicKey: K1.publicKey } as const

type Input = Parameters<typeof Transaction.make>[0]

const gas = (input: Input, hardfork?: Hardfork): bigint =>
  Transaction.intrinsicGas(get(Transaction.make(input)), hardfork)

const floor = (input: Input, hardfork?: Hardfork): bigint =>
  Transaction.floorGas(get(Transaction.make(input)), hardfork)

describe("intrinsic gas", () => {
  it("is 21,000 for a transfer, more with a fee payer, more still with a ratio", () => {
    assert.strictEqual(gas({ type: "ValueTransfer", ...transfer }), 21_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedValueTransfer", ...transfer }), 31_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedValueTransferWithRatio", ...transfer, feeRatio: 30 }), 36_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedCancelWithRatio", ...base, feeRatio: 30 }), 36_000n)
  })

  it("grows by 16 a byte of input and 4 a zero, by 100 a byte before Prague", () => {
    const memo = { type: "ValueTransferMemo", ...transfer, input: "0x00ff" } as const
    const anchor = { type: "ChainDataAnchoring", ...base, input: "0x00ff00" } as const
    assert.deepStrictEqual([gas(memo), gas(memo, "prague"), gas(memo, "cancun")], [21_020n, 21_020n, 21_200n])
    assert.deepStrictEqual([gas(anchor), gas(anchor, "cancun")], [21_024n, 21_300n])
    // The numbers that the chain's source gives: 9 and 100 bytes that are not zero, 1,000 zeros.
    const sizes = [`0x${"01".repeat(9)}`, `0x${"01".repeat(100)}`, `0x${"00".repeat(1000)}`] as const
    const needs = (input: typeof sizes[number], hardfork?: Hardfork) => {
      const one = { type: "ValueTransferMemo", ...transfer, input } as const
      const [intrinsic, least] = [gas(one, hardfork), floor(one, hardfork)]
      return intrinsic > least ? intrinsic : least
    }
    assert.deepStrictEqual(sizes.map((input) => needs(input)), [21_360n, 25_000n, 31_000n])
    assert.deepStrictEqual(sizes.map((input) => needs(input, "cancun")), [21_900n, 31_000n, 121_000n])
  })

  it("has a floor of 40 a byte of input and 10 a zero, on what the type and its signatures cost", () => {
    const memo = { ...transfer, input: "0x00ff" } as const
    assert.strictEqual(floor({ type: "ValueTransferMemo", ...memo }), 21_050n)
    assert.strictEqual(floor({ type: "FeeDelegatedValueTransferMemo", ...memo }), 31_050n)
    assert.strictEqual(floor({ type: "FeeDelegatedValueTransferMemoWithRatio", ...memo, feeRatio: 30 }), 36_050n)
    assert.strictEqual(floor({ type: "ValueTransferMemo", ...memo }, "cancun"), 0n)
    const deploy = { ...base, value: 0n, input: "0x00ff", humanReadable: false, codeFormat: 0 } as const
    assert.strictEqual(floor({ type: "SmartContractDeploy", ...deploy }), 53_050n)
    assert.strictEqual(floor({ type: "LegacyTransaction", ...base, value: 0n, input: "0x00ff" }), 21_050n)
    assert.strictEqual(floor({ type: "AccountUpdate", ...base, key: publicKey }), 21_000n)
    let signed = get(Transaction.make({ type: "ValueTransferMemo", ...memo }))
    for (const { privateKey } of [K1, K2]) signed = get(Transaction.signAsSender(signed, { chainId: 1001, privateKey }))
    assert.strictEqual(Transaction.floorGas(signed), 36_050n)
  })

  it("is 53,000 and 2 a word of code where a contract is created", () => {
    const code = `0x${"60".repeat(33)}` as const
    const deploy = { ...base, value: 0n, input: code, humanReadable: false, codeFormat: 0 }
    assert.strictEqual(gas({ type: "SmartContractDeploy", ...deploy }), 53_000n + 528n + 4n)
    assert.strictEqual(gas({ type: "FeeDelegatedSmartContractDeploy", ...deploy }), 63_000n + 528n + 4n)
    assert.strictEqual(gas({ type: "LegacyTransaction", ...base, value: 0n, input: code }), 53_000n + 528n + 4n)
    assert.strictEqual(gas({ type: "LegacyTransaction", ...transfer, input: code }), 21_528n)
  })

  it("grows by 20,000 for each key that is registered", () => {
    assert.strictEqual(gas({ type: "FeeDelegatedAccountUpdate", ...base, key: publicKey }), 51_000n)
    assert.strictEqual(gas({ type: "AccountUpdate", ...base, key: { type: "AccountKeyLegacy" } }), 21_000n)
    const multi = {
      type: "AccountKeyWeightedMultiSig",
      threshold: 1,
      keys: [{ weight: 1, publicKey: K1.publicKey }, { weight: 1, publicKey: K2.publicKey }]
    } as const
    assert.strictEqual(
      gas({
        type: "AccountUpdate",
        ...base,
        key: { type: "AccountKeyRoleBased", keys: [publicKey, multi, { type: "AccountKeyNil" }] }
      }),
      81_000n
    )
  })

  it("grows by 15,000 for each signature after the first, sender and fee payer apart", () => {
    let transaction = get(Transaction.make({ type: "FeeDelegatedValueTransfer", ...transfer }))
    for (const { privateKey } of [K1, K2]) {
      transaction = get(Transaction.signAsSender(transaction, { chainId: 1001, privateKey }))
      transaction = get(Transaction.signAsFeePayer(transaction, { chainId: 1001, privateKey, feePayer: K2.address }))
    }
    assert.strictEqual(Transaction.intrinsicGas(transaction), 31_000n + 15_000n + 15_000n)
  })

  it("counts an access list", () => {
    const [vector] = load("ethereum").vectors
    assert.isDefined(vector)
    if (vector !== undefined) {
      assert.strictEqual(Transaction.intrinsicGas(vector.transaction), 21_000n + 42n * 4n + 26n * 16n + 2_400n + 3_800n)
    }
  })
})
