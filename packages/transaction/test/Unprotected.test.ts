import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "../src/Hex.js"
import * as Signature from "../src/Signature.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, reason } from "./fixtures.js"

// What ERC-2470 and its like are deployed through on every chain: the published transaction of the CREATE2 factory.
const number = "22".repeat(32)
const factory: Hex =
  `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${number}a0${number}`
const deployer = "0x3fab184622dc19b6109349b94811493bf2a45362"
const hash = "0xeddf9e61fb9d8f5111840daef55e5fde0041f5702856532cdbb5a02998033d26"

describe("A legacy transaction that names no chain", () => {
  it("is refused, with or without a chain to compare", () => {
    for (const options of [undefined, {}, { chainId: 1001 }, { unprotected: false }]) {
      assert.strictEqual(reason(Transaction.decode(factory, options)), "WrongChain")
    }
  })

  it("is read, hashed, written and told the sender of, where that is asked for", () => {
    for (const options of [{ unprotected: true }, { unprotected: true, chainId: 1001 }]) {
      const decoded = get(Transaction.decode(factory, options))
      assert.strictEqual(Transaction.chainId(decoded), undefined)
      assert.strictEqual(get(Transaction.hash(decoded)), hash)
      assert.strictEqual(get(Transaction.encode(decoded)), factory)
      const signers = get(Transaction.recoverSenders(decoded, { chainId: 1001, unprotected: true }))
      assert.deepStrictEqual(signers.map(({ address }) => address), [deployer])
      assert.strictEqual(reason(Transaction.recoverSenders(decoded, { chainId: 1001 })), "WrongChain")
    }
  })

  it("is neither made nor signed by mistake", () => {
    const decoded = get(Transaction.decode(factory, { unprotected: true }))
    assert(decoded.type === "LegacyTransaction")
    assert.strictEqual(reason(Transaction.make(decoded)), "WrongChain")
    assert.strictEqual(
      reason(Transaction.signAsSender(decoded, { chainId: 1001, privateKey: K1.privateKey })),
      "WrongChain"
    )
  })

  it("is the only kind that may name none", () => {
    const made = get(Transaction.make({
      type: "ValueTransfer",
      nonce: 0n,
      gasPrice: 1n,
      gas: 1n,
      to: deployer,
      value: 0n,
      from: deployer
    }))
    const signatures = [{ v: 27n, r: 1n, s: 1n }]
    assert.strictEqual(reason(Transaction.encode({ ...made, signatures })), "WrongChain")
    assert.strictEqual(
      reason(Transaction.recoverSenders({ ...made, signatures }, { chainId: 1001, unprotected: true })),
      "WrongChain"
    )
    // With the wrong chain, it is still one of a chain.
    const legacy = get(Transaction.decode(factory, { unprotected: true }))
    const other = { ...legacy, signatures: [{ v: 37n, r: 1n, s: 1n }] }
    assert.strictEqual(reason(Transaction.recoverSenders(other, { chainId: 1001, unprotected: true })), "WrongChain")
    assert.deepStrictEqual([0n, 1n, 26n, 27n, 28n, 29n, 37n].map((v) => Signature.namesNoChain({ v })), [
      false,
      false,
      false,
      true,
      true,
      false,
      false
    ])
  })
})
