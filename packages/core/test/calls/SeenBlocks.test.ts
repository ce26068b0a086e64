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

describe("the height that a client has seen", () => {
  it("falls back from one that the next answers know nothing of", () => {
    const seen = new SeenBlocks.SeenBlocks()
    for (const height of ["0x14", "0xbebc200", "0x15"]) seen.see("klay_blockNumber", height)
    assert.strictEqual(seen.newest, 200_000_000)
    seen.see("klay_blockNumber", "0x16")
    assert.strictEqual(seen.newest, 22)
    // A copy that lags is no reason for that, nor is one alone that lags far.
    for (const height of ["0x10", "0x11", "0x1000", "0x16", "0x1001"]) seen.see("klay_blockNumber", height)
    assert.strictEqual(seen.newest, 0x1001)
  })
})

describe("the height that is believed", () => {
  const believed = (...heights: ReadonlyArray<number>) => {
    const height = new SeenBlocks.BelievedHeight()
    return heights.map((one) => {
      height.see(one)
      return height.value
    })
  }

  it("is the highest of answers that are near each other", () => {
    assert.strictEqual(new SeenBlocks.BelievedHeight().value, 0)
    assert.deepStrictEqual(believed(20, 21, 19, 25, 24), [20, 20, 20, 25, 25])
  })

  it("is none that one answer alone gives, the first one or another", () => {
    assert.deepStrictEqual(believed(20, 21, 200_000_000, 22, 23), [20, 20, 21, 22, 23])
    assert.deepStrictEqual(believed(200_000_000, 20, 21), [200_000_000, 20, 21])
    assert.deepStrictEqual(believed(5000, 5001, 20, 5002), [5000, 5000, 5000, 5002])
  })

  it("follows a chain that grows fast, or that has gone back, by two answers", () => {
    assert.deepStrictEqual(believed(20, 21, 5000, 5001, 9000, 12_000), [20, 20, 21, 5000, 5001, 9000])
    assert.deepStrictEqual(believed(5000, 5001, 20, 21), [5000, 5000, 5000, 21])
  })
})
