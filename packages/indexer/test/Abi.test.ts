import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Abi from "../src/Abi.js"
import { transfersOf } from "../src/internal/tokens/TransferReader.js"

const batch = Abi.encodeArguments("(uint256[],uint256[])", [[1n, 2n], [3n, 4n]])
const zero: Hex = "0x0000000000000000000000000000000000000000"
const word: Hex = `0x${zero.slice(2).padStart(64, "0")}`

describe("Abi", () => {
  it("reads lists from data that is not made of whole words", () => {
    for (const rest of [0, 1, 31]) {
      const data = new Uint8Array([...batch, ...new Uint8Array(rest)])
      assert.deepStrictEqual([Abi.uintListAt(data, 0), Abi.uintListAt(data, 32)], [[1n, 2n], [3n, 4n]])
      assert.isUndefined(Abi.uintListAt(data.subarray(0, batch.length - 1), 32))
    }
  })

  it("encodes negative numbers as two's complements", () => {
    assert.deepStrictEqual(Abi.encodeArguments("(int256)", [-1n]), new Uint8Array(32).fill(0xff))
  })

  it("a log of a batch that is cut off anywhere is no transfer, and stops no block", () => {
    const event: Hex = `0x${Abi.topicOf("TransferBatch(address,address,address,uint256[],uint256[])").slice(2)}`
    for (let length = 0; length <= batch.length; length++) {
      const transfers = transfersOf({
        hash: word,
        senderTxHash: word,
        blockNumber: 1,
        transactionIndex: 0,
        timestamp: 1,
        typeInt: 0,
        from: zero,
        to: zero,
        value: 0n,
        nonce: 0n,
        gas: 0n,
        gasPrice: 0n,
        gasUsed: 0n,
        cumulativeGasUsed: 0n,
        fee: 0n,
        feePayer: undefined,
        feeRatio: undefined,
        status: 1,
        txError: undefined,
        contractAddress: undefined,
        raw: new Uint8Array(0),
        carriesValue: false,
        logs: [{ address: zero, topics: [event, word, word, word], data: batch.subarray(0, length) }],
        writes: undefined
      })
      assert.lengthOf(transfers, length === batch.length ? 1 : 0)
    }
  })
})
