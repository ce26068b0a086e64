import { assert, describe, it } from "@effect/vitest"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, load } from "./fixtures.js"

const base = { nonce: 0n, gas: 1n, gasPrice: 1n, from: K1.address } as const
const transfer = { ...base, to: K2.address, value: 1n } as const
const publicKey = { type: "AccountKeyPublic", publicKey: K1.publicKey } as const

const gas = (input: Parameters<typeof Transaction.make>[0]): bigint =>
  Transaction.intrinsicGas(get(Transaction.make(input)))

describe("intrinsic gas", () => {
  it("is 21,000 for a transfer, more with a fee payer, more still with a ratio", () => {
    assert.strictEqual(gas({ type: "ValueTransfer", ...transfer }), 21_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedValueTransfer", ...transfer }), 31_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedValueTransferWithRatio", ...transfer, feeRatio: 30 }), 36_000n)
    assert.strictEqual(gas({ type: "FeeDelegatedCancelWithRatio", ...base, feeRatio: 30 }), 36_000n)
  })

  it("grows by 100 a byte of input, zero or not", () => {
    assert.strictEqual(gas({ type: "ValueTransferMemo", ...transfer, input: "0x00ff" }), 21_200n)
    assert.strictEqual(gas({ type: "ChainDataAnchoring", ...base, input: "0x00ff00" }), 21_300n)
  })

  it("is 53,000 and 2 a word of code where a contract is created", () => {
    const code = `0x${"60".repeat(33)}` as const
    const deploy = { ...base, value: 0n, input: code, humanReadable: false, codeFormat: 0 }
    assert.strictEqual(gas({ type: "SmartContractDeploy", ...deploy }), 53_000n + 3_300n + 4n)
    assert.strictEqual(gas({ type: "FeeDelegatedSmartContractDeploy", ...deploy }), 63_000n + 3_300n + 4n)
    assert.strictEqual(gas({ type: "LegacyTransaction", ...base, value: 0n, input: code }), 53_000n + 3_300n + 4n)
    assert.strictEqual(gas({ type: "LegacyTransaction", ...transfer, input: code }), 24_300n)
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
      assert.strictEqual(Transaction.intrinsicGas(vector.transaction), 21_000n + 6_800n + 2_400n + 3_800n)
    }
  })
})
