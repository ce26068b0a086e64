import * as SeenBlocks from "@effect-klaytn/core/SeenBlocks"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"

const hash = `0x${"Ab".repeat(32)}`
const missing = Either.left({ code: -32000, message: "header not found" })

describe("what a client has seen of blocks", () => {
  const seen = new SeenBlocks.SeenBlocks()
  seen.see("klay_getBlockByNumber", { number: "0x10", hash })
  const doubt = (method: string, ...params: ReadonlyArray<unknown>) => seen.doubt(method, params, missing)

  it("casts doubt on a node that lacks one of them, by number, hash or tag", () => {
    assert.strictEqual(doubt("klay_getBalance", "0x33", "0x10"), "block missing")
    assert.strictEqual(doubt("klay_getBalance", "0x33", "0x11"), undefined)
    assert.strictEqual(doubt("klay_getBlockByHash", hash.toUpperCase().replace("0X", "0x"), false), "block missing")
    assert.strictEqual(doubt("klay_getBlockByHash", `0x${"cd".repeat(32)}`, false), undefined)
    assert.strictEqual(doubt("klay_getBalance", "0x33", "latest"), "block missing")
    assert.strictEqual(doubt("klay_getBalance", "0x33", "pending"), undefined)
  })

  it("does so by the end of a filter, whatever it begins with", () => {
    assert.strictEqual(doubt("klay_getLogs", { fromBlock: "0x1", toBlock: "0x10" }), "block missing")
    assert.strictEqual(doubt("klay_getLogs", { fromBlock: "0x1", toBlock: "0x11" }), undefined)
    assert.strictEqual(doubt("klay_getLogs", { fromBlock: "0x11" }), "block missing")
    assert.strictEqual(doubt("klay_getLogs", { blockHash: hash }), "block missing")
    assert.strictEqual(doubt("klay_getLogs", { blockHash: `0x${"cd".repeat(32)}` }), undefined)
  })

  it("says nothing of an error that is the contract's own, whatever its code", () => {
    const reverted = Either.left({ code: -32603, message: "execution reverted: no" })
    assert.strictEqual(seen.doubt("klay_call", [{}, "latest"], reverted), undefined)
    const failed = Either.left({ code: -32603, message: "internal error" })
    assert.strictEqual(seen.doubt("klay_call", [{}, "latest"], failed), "node failed")
  })
})
