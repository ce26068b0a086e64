import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as records from "../golden/records.js"
import { hash, token } from "../golden/row.js"
import * as TestNode from "../support/testNode.js"

/** The contract of a receipt that a node of Kaia names for every transaction without `to`. */
const contractOf = (fields: object) => {
  const receipt = { ...fields, contractAddress: token }
  const node = TestNode.make({ klay_getTransactionReceipt: () => receipt, eth_getTransactionReceipt: () => receipt })
  const found = <A extends { readonly contractAddress?: unknown }>(answer: Option.Option<A>) =>
    Option.getOrThrow(answer).contractAddress
  return {
    klay: node.use((node) => Effect.map(node.klay.getTransactionReceipt(hash), found)),
    eth: node.use((node) => Effect.map(node.eth.getTransactionReceipt(hash), found))
  }
}

describe("the contract of a receipt", () => {
  it.effect("is there for creations that succeeded, and for no other transaction", () =>
    Effect.gen(function*() {
      for (const kind of records.kinds) {
        for (const status of ["0x1", "0x0"]) {
          const receipt = { ...records.receipt(kind), status }
          const isCreation = kind.name.includes("Deploy") ||
            /^(Legacy|Ethereum)/.test(kind.name) && (Object(receipt).to ?? null) === null
          const creates = status === "0x1" && isCreation
          assert.strictEqual(yield* contractOf(receipt).klay, creates ? token : undefined, `${kind.name} ${status}`)
        }
      }
      const legacy = records.kinds.find(({ name }) => name === "LegacyTransaction") ?? assert.fail("no legacy type")
      const creation = { ...records.receipt(legacy), to: null, status: "0x1" }
      assert.strictEqual(yield* contractOf(creation).klay, token)
      assert.isUndefined(yield* contractOf({ ...creation, status: "0x0" }).klay)
    }))

  it.effect("is there in Ethereum's form if there is no receiver, and the transaction succeeded", () =>
    Effect.gen(function*() {
      const receipt = {
        ...records.receipt(records.transfer),
        transactionIndex: "0x0",
        cumulativeGasUsed: "0x5208",
        logsBloom: "0x",
        type: "0x2",
        typeInt: undefined
      }
      const at = (to: string | null, status: string) => contractOf({ ...receipt, to, status }).eth
      assert.strictEqual(yield* at(null, "0x1"), token)
      assert.isUndefined(yield* at(null, "0x0"))
      assert.isUndefined(yield* at(token, "0x1"))
    }))
})
