import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, it } from "@effect/vitest"
import { textOf } from "../src/internal/requestContent.js"

/** The content of a request that sends a legacy transfer which a key has signed. */
const contentOf = (privateKey: Uint8Array, nonce: bigint, gasPrice = 25n): string => {
  const fields = {
    nonce,
    gasPrice,
    gas: 21_000n,
    to: `0x${"b0".repeat(20)}`,
    value: 5n,
    input: "0x",
    signatures: []
  } as const
  const signed = Transaction.signAsSender({ type: "LegacyTransaction", ...fields }, { chainId: 1001, privateKey })
  assert(signed.ok)
  const rlp = Transaction.encode(signed.value)
  assert(rlp.ok)
  return textOf({ method: "POST", url: "/v2/tx/rlp", krn: "", text: JSON.stringify({ rlp: rlp.value, submit: true }) })
}

const one = new Uint8Array(32).fill(1)
const other = new Uint8Array(32).fill(2)

it("the sender of a raw transaction that only its signature names is a part of what is asked, its nonce and price are not", () => {
  assert.strictEqual(contentOf(one, 0n), contentOf(one, 7n, 50n))
  assert.notStrictEqual(contentOf(one, 0n), contentOf(other, 0n))
})

/** The content of a request with a body. */
const bodyOf = (body: unknown): string =>
  textOf({ method: "POST", url: "/v2/tx/value", krn: "", text: JSON.stringify(body) })

it("a text that looks like hexadecimal is told by its letters, and a number or address that is hexadecimal is not", () => {
  assert.notStrictEqual(bodyOf({ memo: "0xAB" }), bodyOf({ memo: "0xab" }))
  assert.notStrictEqual(bodyOf({ accountKey: { memo: ["0xAB"] } }), bodyOf({ accountKey: { memo: ["0xab"] } }))
  for (const field of ["from", "to", "value", "feePayer", "fee_payer", "input", "transactionHash", "key"]) {
    assert.strictEqual(bodyOf({ [field]: "0xAB" }), bodyOf({ [field]: "0xab" }), field)
    assert.notStrictEqual(bodyOf({ [field]: "0xAB" }), bodyOf({ [field]: "0xac" }), field)
  }
})

it("what another copy of the same payment may have, its nonce, gas, price and signatures, is no part of what is asked", () => {
  const passing = ["nonce", "gas", "gasLimit", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "signatures"]
  for (const field of [...passing, "feePayerSignatures"]) {
    assert.strictEqual(bodyOf({ value: "0x1", [field]: "0x5" }), bodyOf({ value: "0x1" }), field)
  }
  assert.notStrictEqual(bodyOf({ value: "0x1" }), bodyOf({ value: "0x2" }))
})

it("the operation, its parameters, the pool and the share of the fee are a part of what is asked", () => {
  const request = { method: "POST", url: "/v2/tx/fd/value", krn: "", text: "{\"feeRatio\":30}" }
  const changes = [{ method: "PUT" }, { url: "/v2/tx/fd/value?a=1" }, { krn: "krn:1001" }, {
    text: "{\"feeRatio\":31}"
  }]
  for (const change of changes) {
    assert.notStrictEqual(textOf({ ...request, ...change }), textOf(request), JSON.stringify(change))
  }
})

it("the nonce is a part of what a cancellation is asked for, in whichever form", () => {
  const cancelled = (nonce: bigint) => {
    const fields = { nonce, gas: 21_000n, gasPrice: 25n, from: `0x${"b0".repeat(20)}`, signatures: [] } as const
    const rlp = Transaction.encode({ type: "Cancel", ...fields })
    assert(rlp.ok)
    return textOf({ method: "POST", url: "/v2/tx/rlp", krn: "", text: JSON.stringify({ rlp: rlp.value }) })
  }
  assert.notStrictEqual(cancelled(0n), cancelled(1n))
  const removed = (nonce: number) =>
    textOf({ method: "DELETE", url: "/v2/tx?a=1", krn: "", text: JSON.stringify({ nonce }) })
  assert.notStrictEqual(removed(0), removed(1))
})
