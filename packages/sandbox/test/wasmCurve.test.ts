import { noble, nobleRandomized } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { loadWasmCurve } from "../src/internal/wasmCurve.js"

describe("Random signatures", () => {
  it("differ each time, also without WebAssembly, and recover to the same key", async () => {
    const key = keccak_256(utf8ToBytes("key"))
    const digest = keccak_256(utf8ToBytes("message"))
    for (const curve of [await loadWasmCurve({ isRepeatable: false }), nobleRandomized]) {
      const signed = Array.from({ length: 20 }, () => curve.sign(digest, key))
      assert.strictEqual(new Set(signed.map(({ rs }) => rs.join())).size, 20)
      for (const one of signed) assert.deepStrictEqual(curve.recover(digest, one), curve.publicKey(key))
    }
  })
})

describe("the WebAssembly curve", () => {
  it("signs, recovers and derives keys byte for byte as the pure JavaScript one", async () => {
    const wasm = await loadWasmCurve({ isRepeatable: true })
    assert.notStrictEqual(wasm, noble)
    for (let i = 0; i < 50; i++) {
      const key = keccak_256(utf8ToBytes(`key ${i}`))
      const digest = keccak_256(utf8ToBytes(`message ${i}`))
      const signed = wasm.sign(digest, key)
      const expected = noble.sign(digest, key)
      assert.deepStrictEqual([...signed.rs], [...expected.rs])
      assert.strictEqual(signed.recovery, expected.recovery)
      assert.deepStrictEqual([...wasm.publicKey(key)], [...noble.publicKey(key)])
      assert.deepStrictEqual([...wasm.recover(digest, signed) ?? []], [...noble.publicKey(key)])
    }
  })
})
