import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { catchUp } from "../src/CatchUp.js"
import { NodeFault } from "../src/IndexError.js"
import { type BlockAnswers, checks, contradiction } from "../src/internal/node/blockChecks.js"
import * as forms from "../src/internal/node/forms.js"
import * as traceForm from "../src/internal/node/traceForm.js"
import {
  alice,
  amount,
  bob,
  type Call,
  emptyIndex,
  FakeNode,
  hash,
  quantity,
  token,
  transfer
} from "./support/fakeNode.js"

const [one, two] = [hash("one") as Hash, hash("two") as Hash]

/** The answers of a node about a block of two transactions: the first has two logs, the second failed. */
const said = Either.getOrThrow(Either.gen(function*() {
  const node = new FakeNode(5)
  node.isExact = true
  // The hashes of its blocks have letters.
  node.fork = () => "o"
  // Casts: the values are written as the schemas have them.
  const sent = [{ hash: one, from: alice as Address, input: "0xa9" }, {
    hash: two,
    from: bob as Address,
    input: "0xa9"
  }]
  node.logsOf = () => [transfer(bob), transfer(token)]
  const answer = (method: string, ...params: ReadonlyArray<unknown>): unknown =>
    Object(node["answer"]({ id: 1, method, params })).result
  const block = yield* forms.readBlock("", answer("eth_getBlockByNumber", "0x3", true))
  const [receipt] = yield* forms.readReceipts("", answer("eth_getBlockReceipts", block.hash))
  const [transaction] = block.transactions
  assert.isDefined(receipt)
  assert.isDefined(transaction)
  return {
    before: yield* forms.readBlock("", answer("eth_getBlockByNumber", "0x2", true)),
    block: { ...block, transactions: sent.map((one) => ({ ...transaction, ...one })) },
    receipts: sent.map(({ hash }, index) => ({
      ...receipt,
      transactionHash: hash,
      status: index === 0 ? 1n : 0n,
      logs: index === 0 ? receipt.logs.map((log) => ({ ...log, transactionHash: hash })) : []
    })),
    traces: yield* traceForm.readTraces(
      "",
      sent.map(({ from, hash }, index) => ({
        txHash: hash,
        result: { type: "CALL", from, to: token, value: "0x7", ...(index === 1 && { error: "execution reverted" }) }
      }))
    )
  }
}))

type Log = forms.ReceiptForm["logs"][number]

/** Changes one of a list. */
const at = <A>(place: number, change: (one: A) => A) => (list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.map((one, index) => index === place ? change(one) : one)

type Receipts = ReadonlyArray<forms.ReceiptForm>
type Traces = ReadonlyArray<traceForm.BlockTrace>

const receipts = (change: (list: Receipts) => Receipts): BlockAnswers => ({ ...said, receipts: change(said.receipts) })
const receipt = (place: number, fields: Partial<forms.ReceiptForm>): BlockAnswers =>
  receipts(at<forms.ReceiptForm>(place, (one) => ({ ...one, ...fields })))
const transaction = (place: number, fields: Partial<forms.TransactionForm>): BlockAnswers => ({
  ...said,
  block: {
    ...said.block,
    transactions: at<forms.TransactionForm>(place, (one) => ({ ...one, ...fields }))(said.block.transactions)
  }
})
const logs = (change: (list: ReadonlyArray<Log>) => ReadonlyArray<Log>): BlockAnswers =>
  receipts(at<forms.ReceiptForm>(0, (one) => ({ ...one, logs: change(one.logs) })))
const log = (fields: Partial<Log>): BlockAnswers => logs(at<Log>(1, (one) => ({ ...one, ...fields })))
const traces = (change: (list: Traces) => Traces): BlockAnswers => ({ ...said, traces: change(said.traces) })
const trace = (place: number, other: traceForm.BlockTrace): BlockAnswers =>
  traces(at<traceForm.BlockTrace>(place, () => other))

/** What a trace that names no transaction says of another one. */
const unnamed = [{ to: bob as Address }, { value: 8n }, { input: "0x01" }]

/** For each check, answers that it alone finds wrong, and its words. */
const contradictions: Readonly<Record<string, ReadonlyArray<readonly [BlockAnswers, string]>>> = {
  "its parent is the block before it": [
    [{ ...said, before: { ...said.before, hash: said.block.hash } }, "its parent is not the block before it"]
  ],
  "its time is not before that of the block before it": [
    [
      { ...said, before: { ...said.before, timestamp: said.block.timestamp + 1n } },
      "its time is before that of the block before it"
    ]
  ],
  "each transaction is in its place, and once": [
    [transaction(1, { transactionIndex: "0x0" }), "transaction 1 says that it is number 0"]
  ],
  "each transaction is one of the block": [
    [transaction(1, { blockHash: said.before.hash }), "transaction 1 belongs to another block"]
  ],
  "each transaction has a receipt": [
    [receipts((list) => list.slice(0, 1)), "1 receipts for 2 transactions"]
  ],
  "each receipt is that of its transaction": [
    [receipt(1, { transactionHash: said.block.hash }), "receipt 1 belongs to another transaction"]
  ],
  "each receipt is one of the block": [
    [receipt(1, { blockHash: said.before.hash }), "receipt 1 belongs to another block"]
  ],
  "each receipt is in its place": [
    [receipt(1, { transactionIndex: "0x0" }), "receipt 1 says that it is number 0"]
  ],
  "each receipt says success or failure, and one of a failure has no logs": [
    [receipt(1, { status: 2n }), "receipt 1 has the status 2"]
  ],
  "the receipts have used the gas of the block, if it says any": [
    [{ ...said, block: { ...said.block, gasUsed: 33n } }, "its receipts used 32 gas, and it says 33"]
  ],
  "each log is one of the block": [
    [log({ blockHash: said.before.hash }), "log 1 of receipt 0 belongs to another block"]
  ],
  "each log is one of its transaction": [
    [log({ transactionHash: two }), "log 1 of receipt 0 belongs to another transaction"]
  ],
  "logs are numbered through the block": [
    [log({ logIndex: "0x0" }), "log 1 of receipt 0 is not number 1 of the block"],
    [log({ logIndex: "0x2" }), "log 1 of receipt 0 is not number 1 of the block"],
    [logs((list) => [...list, ...list]), "log 2 of receipt 0 is not number 2 of the block"]
  ],
  "no log of a block was removed": [[log({ removed: true }), "log 1 of receipt 0 was removed"]],
  "the logs give the bloom filter of the block, if it is not empty": [
    [logs((list) => list.slice(0, 1)), "the logs of its receipts do not give its bloom filter"],
    [log({ address: alice as Address }), "the logs of its receipts do not give its bloom filter"]
  ],
  "each transaction has a trace": [
    [traces((list) => list.slice(0, 1)), "1 traces for 2 transactions"]
  ],
  "each trace is that of its transaction": [
    [trace(0, { ...said.traces[0], txHash: said.block.hash }), "trace 0 belongs to another transaction"],
    [trace(0, { result: { type: "CALL", from: bob as Address } }), "trace 0 belongs to another transaction"],
    ...unnamed.map((fields) =>
      [
        trace(0, { result: { type: "CALL", from: alice as Address, ...fields } }),
        "trace 0 belongs to another transaction"
      ] as const
    )
  ],
  "each trace is one of calls": [
    [
      trace(0, { result: { from: alice as Address } }),
      "trace 0 does not say who called how: it is none of the callTracer"
    ],
    [trace(0, { result: { type: "CALL" } }), "trace 0 does not say who called how: it is none of the callTracer"]
  ],
  "each transaction that runs code was traced": [
    [trace(0, {}), "transaction 0 was not traced: no reason was given"],
    [trace(0, { error: "too late" }), "transaction 0 was not traced: too late"]
  ],
  "a trace fails where its receipt does": [
    [
      trace(0, { result: { type: "CALL", from: alice as Address, error: "execution reverted" } }),
      "receipt 0 says that it succeeded, and its trace that it failed"
    ],
    [
      trace(1, { result: { type: "CALL", from: bob as Address } }),
      "receipt 1 says that it failed, and its trace that it succeeded"
    ]
  ]
}

describe("the checks of a node's answers", () => {
  it("are these, in this order", () => {
    assert.deepStrictEqual(checks.map(({ name }) => name), Object.keys(contradictions))
  })

  it("find nothing in answers that fit together", () => {
    assert.isUndefined(contradiction(said))
    const { before: _, traces: __, ...untraced } = said
    assert.isUndefined(contradiction(untraced))
  })

  it("take hashes in any letter case", () => {
    const upper = (text: Hex) => `0x${text.slice(2).toUpperCase()}`
    assert.notStrictEqual(upper(said.block.hash), said.block.hash)
    assert.isUndefined(contradiction(log({ blockHash: upper(said.block.hash) })))
  })

  it("take a trace that names no transaction where it is that of its own, or of its creation", () => {
    const called = { type: "CALL", from: alice as Address, to: token as Address, value: 7n, input: "0xA9" }
    assert.isUndefined(contradiction(trace(0, { result: called })))
    const created = { ...called, type: "CREATE", to: bob as Address }
    assert.isUndefined(contradiction(trace(0, { result: created })))
    // The hash says more.
    assert.isUndefined(contradiction(trace(0, { txHash: one, result: { ...called, value: 8n } })))
  })

  it("take logs of a node that fills no bloom filters", () => {
    for (const text of ["0x", `0x${"00".repeat(256)}`]) {
      // A cast: the value is written as the schema has it.
      const logsBloom = text as Exclude<forms.BlockForm["logsBloom"], undefined>
      assert.isUndefined(contradiction({ ...said, block: { ...said.block, logsBloom } }))
    }
  })

  it("take a transaction that runs no code without a trace, and with any", () => {
    for (const typeInt of [32, 34, 56, 58, 72, 74]) {
      const block = {
        ...said.block,
        transactions: at<forms.TransactionForm>(0, (one) => ({ ...one, typeInt }))(said.block.transactions)
      }
      assert.isUndefined(contradiction({ ...trace(0, {}), block }), `${typeInt}`)
      const none = { result: { type: "CALL", from: alice as Address, error: "no code" } }
      assert.isUndefined(contradiction({ ...trace(0, none), block }), `${typeInt}`)
    }
  })

  it("find a transaction that is twice in the block, and logs of one that failed", () => {
    const [first] = said.block.transactions
    assert.isDefined(first)
    const twice = { ...said, block: { ...said.block, transactions: [first, first] } }
    assert.deepStrictEqual(contradiction(twice), { about: "receipts", problem: "it has a transaction twice" })
    const { before: _, traces: __, ...untraced } = receipt(0, { status: 0n })
    assert.deepStrictEqual(contradiction(untraced), {
      about: "receipts",
      problem: "receipt 0 says that it failed, and has logs"
    })
  })

  for (const check of checks) {
    it(`find it where it is not so, and no other check does: ${check.name}`, () => {
      for (const [wrong, problem] of contradictions[check.name] ?? assert.fail("there is no case")) {
        assert.deepStrictEqual(contradiction(wrong), { about: check.about, problem })
        const others = checks.filter((one) => one !== check)
        assert.deepStrictEqual(others.flatMap((one) => one.problem(wrong) ?? []), [])
      }
    })
  }
})

describe("a node that contradicts itself", () => {
  /** What is wrong in the answers of a method about block 3. */
  const wrongs = {
    eth_getBlockReceipts: ([receipt]: ReadonlyArray<{ readonly logs: ReadonlyArray<unknown> }>) => [{
      ...receipt,
      logs: []
    }],
    eth_getBlockByNumber: (block: object) => ({ ...block, parentHash: hash("elsewhere") }),
    debug_traceBlockByHash: ([trace]: ReadonlyArray<{ readonly result: object }>) => [{
      result: { ...trace?.result, error: "execution reverted" }
    }]
  }

  /** An index of a node that answers wrongly about blocks, about each some times in a row: about one of them in a request. */
  const followed = (
    method: keyof typeof wrongs,
    times: number,
    attempts: number,
    blocks: ReadonlyArray<number> = [3]
  ) =>
    Effect.gen(function*() {
      const node = new FakeNode(6)
      node.isExact = true
      let isHealed = false
      const given = new Map<number, number>()
      let request = 0
      const right = (call: Call) =>
        call.method === "debug_traceBlockByHash"
          ? [{ result: { type: "CALL", from: alice, to: token, value: "0x7" } }]
          : Object(node["answer"](call)).result
      node.fault = (call) => {
        const block = blocks.find((one) =>
          call.params[0] === node.hashOf(one) || call.params[0] === quantity(one) && call.params[1] === true
        ) ?? -1
        const before = given.get(block) ?? 0
        const isMeant = call.method === method && block >= 0 && before < times && !isHealed &&
          request !== node.requests.length
        if (isMeant) {
          request = node.requests.length
        }
        if (isMeant) {
          given.set(block, before + 1)
        }
        // A cast: each change takes what its method answers.
        if (isMeant) {
          return { result: (wrongs[method] as (result: unknown) => unknown)(right(call)) }
        }
        return call.method === "debug_traceBlockByHash" ? { result: right(call) } : undefined
      }
      const index = yield* emptyIndex
      const source = yield* node.source({ namespace: "eth", trace: true }, attempts)
      const heal = Effect.sync(() =>
        isHealed = true
      )
      return { index, given, heal, catchUp: catchUp(index, source) }
    })

  const methods = ["eth_getBlockReceipts", "eth_getBlockByNumber", "debug_traceBlockByHash"] as const
  for (const method of methods) {
    it.scoped(`is asked again: ${method}`, () =>
      Effect.gen(function*() {
        const { catchUp, index } = yield* followed(method, 2, 3)
        assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 7 })
        assert.strictEqual(yield* index.reader.totalBalance(token, bob), 6n * amount)
      }))

    it.scoped(`is asked as often about each block: ${method}`, () =>
      Effect.gen(function*() {
        const { catchUp, index } = yield* followed(method, 1, 2, [1, 2, 3])
        assert.deepStrictEqual(yield* catchUp, { reverted: 0, indexed: 7 })
        assert.strictEqual(yield* index.reader.totalBalance(token, bob), 6n * amount)
      }))

    it.scoped(`has its block wait, and is named: ${method}`, () =>
      Effect.gen(function*() {
        const { catchUp, given, heal, index } = yield* followed(method, Number.POSITIVE_INFINITY, 2)
        const error = yield* Effect.flip(catchUp)
        assert.strictEqual(given.get(3), 2)
        assert.instanceOf(error, NodeFault)
        assert.match(error.message, new RegExp(`^${method} of the node: block 3: `))
        const before = Option.getOrUndefined(yield* index.newest)
        assert.isBelow(before?.number ?? -1, 3)
        yield* heal
        yield* catchUp
        assert.strictEqual((yield* index.reader.head).number, 6)
        assert.strictEqual(yield* index.reader.totalBalance(token, bob), 6n * amount)
      }))
  }
})
