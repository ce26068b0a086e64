import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { catchUp } from "../src/CatchUp.js"
import corpus from "./corpus/blobs-2.2.1.json" with { type: "json" }
import { bob, emptyIndex, FakeNode, hash } from "./support/fakeNode.js"

/** The transaction of block 1 of a node whose blocks, transactions and receipts have other fields. */
const indexed = (
  { block = {}, receipt = {}, transaction = {} }: {
    readonly block?: object
    readonly transaction?: object
    readonly receipt?: object
  }
) =>
  Effect.gen(function*() {
    const node = new FakeNode(1)
    node.fault = (call) => {
      const isBlock = call.method === "eth_getBlockByNumber" && call.params[0] === "0x1" && call.params[1] === true
      if (!isBlock && call.method !== "eth_getBlockReceipts") return undefined
      const { result } = Object(node["answer"](call))
      return {
        result: isBlock
          ? { ...result, ...block, transactions: [{ ...result.transactions[0], ...transaction }] }
          : [{ ...result[0], gasUsed: "0x5208", ...receipt }]
      }
    }
    const index = yield* emptyIndex
    yield* catchUp(index, yield* node.source({ namespace: "eth" }))
    return {
      record: Option.getOrThrow(yield* index.reader.transaction(hash("a transaction 1"))),
      transfers: yield* index.reader.transfersOf(hash("a transaction 1"))
    }
  })

/** The answers about a block whose only transaction has a blob, by method, and what its sender paid besides its value. */
const recorded: Readonly<Record<string, unknown>> = corpus

const ston = (amount: bigint): string => `0x${(amount * 10n ** 9n).toString(16)}`
const unpriced = { effectiveGasPrice: null }

describe("the fee of a transaction of a node", () => {
  it.scoped("is that of its receipt", () =>
    Effect.gen(function*() {
      const { record } = yield* indexed({
        receipt: { effectiveGasPrice: ston(25n), gasPrice: ston(50n) },
        transaction: { gasPrice: ston(60n) }
      })
      assert.strictEqual(record.gasPrice, 25n * 10n ** 9n)
      assert.strictEqual(record.fee, 21_000n * 25n * 10n ** 9n)
    }))

  const prices = [
    ["is of the price in its receipt", { receipt: { ...unpriced, gasPrice: ston(50n) } }, 50n],
    ["is of its own price if its receipt has none", { receipt: unpriced, transaction: { gasPrice: ston(25n) } }, 25n],
    [
      "is of the base fee and its tip if its receipt has no price",
      {
        receipt: unpriced,
        block: { baseFeePerGas: ston(25n) },
        transaction: { maxFeePerGas: ston(100n), maxPriorityFeePerGas: ston(2n), gasPrice: ston(100n) }
      },
      27n
    ],
    [
      "is never of more than its cap",
      {
        receipt: unpriced,
        block: { baseFeePerGas: ston(25n) },
        transaction: { maxFeePerGas: ston(26n), maxPriorityFeePerGas: ston(2n) }
      },
      26n
    ]
  ] as const
  for (const [name, answers, price] of prices) {
    it.scoped(name, () =>
      Effect.gen(function*() {
        const { record } = yield* indexed(answers)
        assert.strictEqual(record.fee, 21_000n * price * 10n ** 9n)
      }))
  }

  it.scoped("has what its blobs cost", () =>
    Effect.gen(function*() {
      const { record } = yield* indexed({
        transaction: { type: "0x3", blobVersionedHashes: [hash("blob")] },
        receipt: { effectiveGasPrice: ston(25n), blobGasUsed: "0x20000", blobGasPrice: ston(200n) }
      })
      assert.strictEqual(record.gasPrice, 25n * 10n ** 9n)
      assert.strictEqual(record.fee, 26_739_400_000_000_000n)
    }))

  it.scoped("is never guessed: the block waits, and the node is named", () =>
    Effect.gen(function*() {
      const cases = [
        [{ receipt: unpriced }, "transaction 0 has no price of gas, in its receipt or itself"],
        [
          { transaction: { type: "0x3", blobVersionedHashes: [hash("blob")] } },
          "transaction 0 has blobs, and its receipt does not say what they cost"
        ],
        [
          { receipt: { blobGasUsed: "0x20000" } },
          "transaction 0 has blobs, and its receipt does not say what they cost"
        ]
      ] as const
      for (const [answers, problem] of cases) {
        const error = yield* Effect.flip(indexed(answers))
        assert.strictEqual(error.message, `eth_getBlockReceipts of the node: block 1: ${problem}`)
      }
    }))
})

describe("the fee of a transaction with a blob, as a node of Kaia 2.2.1 answered about it", () => {
  it.scoped.each(["eth", "klay", "kaia"] as const)(
    "is what its sender's balance lost: %s",
    (namespace) =>
      Effect.gen(function*() {
        const node = new FakeNode(1)
        node.fault = ({ method, params: [first] }) => {
          if (!Object.hasOwn(recorded, method)) return undefined
          return { result: first === "0x21" ? null : recorded[method] }
        }
        const source = yield* node.source({ namespace, trace: true })
        const block = yield* source.block(Number(corpus.eth_blockNumber))
        const [mined] = block?.transactions ?? []
        assert.strictEqual(mined?.receipt.gasUsed, 21_000n)
        const { blobFee = 0n, gasPrice = 0n, gasUsed = 0n } = mined?.receipt ?? {}
        assert.strictEqual(blobFee, 131_072n * 200n * 10n ** 9n)
        assert.strictEqual(gasUsed * gasPrice + blobFee, BigInt(corpus.paid))
      })
  )
})

describe("the time of a block of a node", () => {
  it.scoped("is refused where no block can have it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(indexed({ block: { timestamp: "0x4000000000" } }))
      assert.match(error.message, /^eth_getBlockByNumber of the node: timestamp: /)
    }))
})

describe("the contract of a receipt", () => {
  const named = { contractAddress: bob }
  const contractOf = (transaction: object, receipt: object = {}) =>
    Effect.map(indexed({ transaction, receipt: { ...named, ...receipt } }), ({ record }) => record.contractAddress)

  it.scoped("is that of a creation that succeeded", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* contractOf({ to: null }), bob)
      assert.strictEqual(yield* contractOf({ to: null, typeInt: 0 }), bob)
      assert.strictEqual(yield* contractOf({ to: null, typeInt: 41 }), bob)
    }))

  it.scoped("is none where the chain names one and none was made", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* contractOf({ to: null }, { status: "0x0", logs: [] }))
      for (const typeInt of [8, 32, 57, 74]) assert.isUndefined(yield* contractOf({ to: null, typeInt }), `${typeInt}`)
      assert.isUndefined(yield* contractOf({}))
      const failed = yield* indexed({ transaction: { to: null }, receipt: { ...named, status: "0x0", logs: [] } })
      assert.notStrictEqual(failed.transfers[0]?.to, bob)
    }))
})
