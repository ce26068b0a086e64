import { assert, describe, it } from "@effect/vitest"
import { fromBytes, type Hex } from "../src/Hex.js"
import * as LogsBloom from "../src/LogsBloom.js"

/** A contract of a test chain of Kaia 2.2.1, and the logs of a call of it. */
const address: Hex = "0xfdc4e65596d941e8c79d7cbc591cb16b78f1e9f4"
const topic = (last: string): Hex => `0x${last.padStart(64, "0")}`

/** The filter of these logs in the receipt that the node gave. */
const bloom = [
  "0000000010000000000000000000000000000000000000000000000002000000",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000020000000000000000000000002000000000000000000000000000002000",
  "0000000000000000000000000000000000000000000100000000000000000000",
  "0100000100000000000000008000004000000000000000000000000000000000",
  "0000000000000000004000000000000000000000000000000001000000000000",
  "0000001000000000000000000000000000000800000000000000000000000000",
  "0000000000000000000080000000000000000000000000000000000000000000"
].join("")

describe("the filter of logs", () => {
  it("is the one that a node gives", () => {
    const logs = [[], [topic("aa")], ["aa", "bb"].map(topic), ["aa", "bb", "cc", "dd"].map(topic)].map((topics) => ({
      address,
      topics
    }))
    assert.strictEqual(fromBytes(LogsBloom.of(logs)), `0x${bloom}`)
    assert.notStrictEqual(fromBytes(LogsBloom.of(logs.slice(0, 3))), `0x${bloom}`)
  })

  it("is empty without logs", () => {
    assert.deepStrictEqual(LogsBloom.of([]), new Uint8Array(256))
  })
})
