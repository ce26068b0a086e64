/** What a node does on bad days, on demand. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { open } from "./support/socket.js"
import { ask, control } from "./support/wire.js"

const to = `0x${"78".repeat(20)}` as const
const gpeb = 10n ** 9n

const value = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A =>
  result.ok ? result.value : assert.fail("no value")

/** A transfer of one peb that its sender, an account by name, has signed; `isDynamic`: with a cap and a tip of 0. */
const signed = (name: string, nonce: bigint, gasPrice: bigint, isDynamic = false) =>
  Effect.map(Sandbox.Sandbox, ({ chains }): Hex => {
    const fields = { nonce, gas: 30_000n, to, value: 1n, input: "0x" } as const
    const made = isDynamic
      ? Transaction.make({
        type: "EthereumDynamicFee",
        ...fields,
        chainId: 1001,
        accessList: [],
        maxFeePerGas: gasPrice,
        maxPriorityFeePerGas: 0n
      })
      : Transaction.make({ type: "LegacyTransaction", ...fields, gasPrice })
    const options = { chainId: 1001, privateKey: Redacted.value(chains.account(name).privateKey) }
    return value(Transaction.encode(value(Transaction.signAsSender(value<Transaction.Transaction>(made), options)), {
      form: "eth"
    }))
  })

const addFault = (fault: object) => DevRpc.object("sandbox_addFault", fault)

const sandbox = Sandbox.layer({ seed: "bad days", mining: "manual", baseFee: "moving" })

layer(sandbox, { excludeTestServices: true })("A pool that is emptied", (it) => {
  it.effect("has lost everything that waited, by the controls and by anvil's method", () =>
    Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      const chain = controls.chain(1001)
      const empties = [
        Effect.map(chain.emptyPool, ({ dropped }) => dropped),
        Effect.map(control("DELETE", "/chains/1001/pool"), ({ body, status }) => {
          assert.strictEqual(status, 200)
          return body.dropped
        }),
        Effect.as(DevRpc.call("anvil_dropAllTransactions"), 3)
      ]
      for (const empty of empties) {
        const hashes = []
        for (const nonce of [0n, 1n, 7n]) {
          hashes.push(yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", nonce, 60n * gpeb)))
        }
        assert.strictEqual(yield* empty, 3)
        assert.strictEqual((yield* chain.state).pending, 0)
        for (const hash of hashes) assert.isNull(yield* DevRpc.call("eth_getTransactionByHash", hash))
        const dropped = (yield* chain.dropped).slice(-3)
        assert.deepStrictEqual(dropped.map(({ transactionHash }) => transactionHash), hashes as Array<Hex>)
        assert.deepStrictEqual(
          new Set(dropped.map(({ reason }) => reason)),
          new Set(["the pool was emptied by request"])
        )
      }
      // The same bytes are taken again.
      yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", 0n, 60n * gpeb))
      assert.strictEqual((yield* chain.emptyPool).dropped, 1)
    }))
})

layer(sandbox, { excludeTestServices: true })("A base fee that is named", (it) => {
  it.effect("is that of the next block, refuses what offers less, and falls again step by step", () =>
    Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      const chain = controls.chain(1001)
      const waiting = yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", 0n, 60n * gpeb))
      const { body, status } = yield* control("POST", "/chains/1001/base-fee", { baseFee: `${100n * gpeb}` })
      assert.deepInclude({ status, pending: body.pending }, { status: 200, pending: 1 })
      const refused = yield* DevRpc.failure("eth_sendRawTransaction", yield* signed("bob", 0n, 60n * gpeb))
      assert.deepStrictEqual(refused, {
        code: -32000,
        message: "invalid gas price. It must be set to value greater than or equal to baseFee"
      })
      const fees: Array<bigint> = []
      let blocks = 0
      for (; blocks < 30; blocks++) {
        yield* chain.mine()
        fees.push(BigInt(String((yield* DevRpc.object("eth_getBlockByNumber", "latest", false))["baseFeePerGas"])))
        if ((yield* DevRpc.call("eth_getTransactionReceipt", waiting)) !== null) break
      }
      assert.deepStrictEqual(fees.slice(0, 3), [100n * gpeb, 95n * gpeb, 90_250_000_000n])
      // Ten steps of a twentieth each, of which the last is below 60.
      assert.strictEqual(fees.length, 11)
      assert.isBelow(Number(fees.at(-1)), Number(60n * gpeb))
      yield* chain.setNextBaseFee({ baseFee: 25n * gpeb })
      yield* chain.mine()
      const { baseFeePerGas } = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      assert.strictEqual(BigInt(String(baseFeePerGas)), 25n * gpeb)
      assert.isTrue(yield* DevRpc.call("anvil_setNextBlockBaseFeePerGas", "0xba43b7400"))
      yield* chain.mine()
      const next = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      assert.strictEqual(BigInt(String(next["baseFeePerGas"])), 50n * gpeb)
    }))

  it.effect("that is out of range is refused", () =>
    Effect.gen(function*() {
      const { body, status } = yield* control("POST", "/chains/1001/base-fee", { baseFee: `${2n ** 130n}` })
      assert.deepStrictEqual([status, body._tag], [400, "InvalidControl"])
    }))
})

layer(sandbox, { excludeTestServices: true })("A fault of sends", (it) => {
  it.effect("refuses one transaction in the node's words, whichever way it comes", () =>
    Effect.gen(function*() {
      const legacy = yield* signed("alice", 0n, 60n * gpeb)
      const dynamic = yield* signed("alice", 0n, 60n * gpeb, true)
      const { hash } = yield* DevRpc.object(
        "eth_getTransactionByHash",
        yield* DevRpc.call("eth_sendRawTransaction", legacy)
      )
      yield* DevRpc.call("anvil_dropAllTransactions")
      const cases = [
        ["full", legacy, "txpool is full: 5120"],
        ["known", legacy, `known transaction: ${String(hash).slice(2)}`],
        ["underpriced", legacy, "invalid gas price. It must be set to value greater than or equal to baseFee"],
        ["underpriced", dynamic, "invalid gas fee cap. It must be set to value greater than or equal to baseFee"]
      ] as const
      const socket = yield* open("/rpc/1001")
      const ways = [
        (raw: Hex) => DevRpc.failure("eth_sendRawTransaction", raw),
        (raw: Hex) => Effect.map(socket.call(1, "eth_sendRawTransaction", raw), ({ error }) => error ?? assert.fail()),
        (raw: Hex) =>
          Effect.map(
            ask("POST", "/v1/klaytn", { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] }, {
              "content-type": "application/json"
            }),
            ({ body }) => body.error
          )
      ]
      for (const [outcome, raw, message] of cases) {
        for (const send of ways) {
          yield* addFault({ action: { kind: "send", outcome } })
          assert.deepStrictEqual(yield* send(raw), { code: -32000, message })
        }
      }
      assert.deepStrictEqual(yield* DevRpc.call("sandbox_faults"), [])
      assert.deepStrictEqual(yield* DevRpc.call("txpool_status"), { pending: "0x0", queued: "0x0" })
      // Once the faults are used up, the same bytes are taken.
      yield* DevRpc.call("eth_sendRawTransaction", legacy)
      yield* DevRpc.call("anvil_dropAllTransactions")
    }).pipe(Effect.scoped))

  it.effect("accepts one transaction and forgets it", () =>
    Effect.gen(function*() {
      const raw = yield* signed("bob", 0n, 60n * gpeb)
      yield* addFault({ action: { kind: "send", outcome: "forgotten" } })
      const hash = yield* DevRpc.call("eth_sendRawTransaction", raw)
      assert.match(String(hash), /^0x[0-9a-f]{64}$/)
      assert.isNull(yield* DevRpc.call("eth_getTransactionByHash", hash))
      yield* DevRpc.call("evm_mine")
      assert.isNull(yield* DevRpc.call("eth_getTransactionReceipt", hash))
      assert.strictEqual(yield* DevRpc.call("eth_sendRawTransaction", raw), hash)
      yield* DevRpc.call("evm_mine")
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", hash), { status: "0x1" })
    }))

  it.effect("meets the wallet's sends, those of one chain only, and not those of the controls", () =>
    Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      yield* addFault({ chainId: 8217, action: { kind: "send", outcome: "full" } })
      yield* addFault({ chainId: 1001, times: 2, action: { kind: "send", outcome: "full" } })
      const { body: account } = yield* ask("POST", "/v2/account", {})
      yield* controls.chain(1001).fund({ to: account.address, amount: 10n ** 18n })
      assert.strictEqual((yield* controls.faults).length, 2)
      const pay = ask("POST", "/v2/tx/value", { from: account.address, to, value: "0x1", submit: true })
      const refused = yield* pay
      assert.strictEqual(refused.status, 400)
      assert.include(refused.body.message, "txpool is full: 5120")
      yield* DevRpc.failure("eth_sendTransaction", {
        from: (yield* Sandbox.Sandbox).chains.account("carol").address,
        to
      })
      assert.strictEqual((yield* pay).status, 200)
      assert.deepStrictEqual((yield* controls.faults).map(({ chainId }) => chainId), [8217])
      assert.isTrue(yield* DevRpc.call("sandbox_clearFaults"))
      assert.deepStrictEqual(yield* controls.faults, [])
    }))

  it.effect("is refused with an operation, and a fault that is none with what it should be", () =>
    Effect.gen(function*() {
      const fault = { operation: "node.exchange", action: { kind: "send", outcome: "full" } }
      const { body, status } = yield* control("POST", "/faults", fault)
      assert.deepStrictEqual([status, body._tag], [400, "InvalidControl"])
      assert.include((yield* DevRpc.failure("sandbox_addFault", fault)).message, "has no operation")
      const wrong = yield* DevRpc.failure("sandbox_addFault", { action: { kind: "send", outcome: "eaten" } })
      assert.strictEqual(wrong.code, -32602)
      assert.include(wrong.message, "outcome")
      assert.strictEqual((yield* DevRpc.failure("sandbox_deleteFault", 4711)).code, -32602)
      const { id } = yield* addFault({ action: { kind: "send", outcome: "full" } })
      assert.isTrue(yield* DevRpc.call("sandbox_deleteFault", id))
      assert.deepStrictEqual(yield* DevRpc.call("sandbox_faults"), [])
    }))
})

const cut = (post: Effect.Effect<unknown, never, Sandbox.Sandbox>) =>
  Effect.map(Effect.exit(post), (exit) => exit._tag === "Failure")

layer(sandbox, { excludeTestServices: true })("A fault that names the JSON-RPC for development", (it) => {
  const blockNumber = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] })

  it.effect("cuts the connection without an answer, after the node has acted, and holds it before", () =>
    Effect.gen(function*() {
      const raw = yield* signed("alice", 0n, 60n * gpeb)
      yield* addFault({
        operation: "rpc.eth_sendRawTransaction",
        action: { kind: "drop", when: "after", milliseconds: 300 }
      })
      const begun = performance.now()
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] })
      assert.isTrue(yield* cut(DevRpc.post(body)))
      assert.isAbove(performance.now() - begun, 290)
      const known = yield* DevRpc.failure("eth_sendRawTransaction", raw)
      assert.match(known.message, /^known transaction: [0-9a-f]{64}$/)
      yield* addFault({ operation: "rpc.exchange", action: { kind: "drop", when: "before" } })
      assert.isTrue(yield* cut(DevRpc.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] }))))
      assert.strictEqual(yield* DevRpc.call("eth_blockNumber"), "0x0")
      yield* DevRpc.call("anvil_dropAllTransactions")
    }))

  it.effect("answers, or waits, and is not met by the service; nor does a fault of the service meet it", () =>
    Effect.gen(function*() {
      yield* addFault({ operation: "rpc.eth_blockNumber", action: { kind: "answer", status: 503, body: "busy" } })
      yield* addFault({ operation: "node.eth_blockNumber", action: { kind: "answer", status: 502, body: "{}" } })
      yield* addFault({ action: { kind: "answer", status: 500, body: "{}" }, chainId: 8217 })
      const ofService = yield* ask("POST", "/v1/klaytn", blockNumber, { "content-type": "application/json" })
      assert.strictEqual(ofService.status, 502)
      assert.strictEqual((yield* DevRpc.post(blockNumber, {}, 8217)).status, 503)
      assert.strictEqual((yield* DevRpc.post(blockNumber, {}, 8217)).status, 200)
      yield* DevRpc.call("sandbox_clearFaults")
      yield* addFault({ operation: "rpc.exchange", chainId: 1001, action: { kind: "delay", milliseconds: 200 } })
      const begun = performance.now()
      assert.strictEqual((yield* DevRpc.post(blockNumber)).status, 200)
      assert.isAbove(performance.now() - begun, 190)
    }))

  it.effect("meets the messages of a WebSocket connection", () =>
    Effect.gen(function*() {
      const socket = yield* open("/rpc/1001")
      yield* addFault({ operation: "rpc.eth_blockNumber", action: { kind: "answer", status: 200, body: "{\"id\":7}" } })
      assert.deepStrictEqual(yield* socket.call(7, "eth_blockNumber"), { id: 7 })
      yield* addFault({ operation: "rpc.eth_blockNumber", action: { kind: "delay", milliseconds: 100 } })
      assert.strictEqual((yield* socket.call(8, "eth_blockNumber")).result, "0x0")
      yield* addFault({ operation: "rpc.evm_mine", action: { kind: "drop", when: "after", milliseconds: 50 } })
      const closed = Effect.async<void>((resume) => {
        socket.socket.once("close", () => resume(Effect.void))
        socket.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 9, method: "evm_mine", params: [] }))
      })
      yield* closed
      assert.strictEqual(yield* DevRpc.call("eth_blockNumber"), "0x1")
    }).pipe(Effect.scoped))

  it.effect("is refused for a method that is not there", () =>
    Effect.gen(function*() {
      const refused = yield* DevRpc.failure("sandbox_addFault", {
        operation: "rpc.eth_blokNumber",
        action: { kind: "delay", milliseconds: 1 }
      })
      assert.include(refused.message, "eth_blokNumber")
      yield* addFault({ operation: "rpc.eth_subscribe", action: { kind: "delay", milliseconds: 1 } })
      yield* DevRpc.call("sandbox_clearFaults")
    }))
})

layer(sandbox, { excludeTestServices: true })("A chain that is set back", (it) => {
  const hashAt = (height: number) =>
    Effect.map(DevRpc.object("eth_getBlockByNumber", `0x${height.toString(16)}`, false), ({ hash }) => String(hash))

  it.effect("goes on with other blocks of the same heights, and its transactions wait again, before those that waited", () =>
    Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      const chain = controls.chain(1001)
      const mined: Array<unknown> = []
      for (const nonce of [0n, 1n, 2n]) {
        mined.push(yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", nonce, 60n * gpeb)))
        yield* chain.mine()
      }
      const waiting = yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", 3n, 60n * gpeb))
      const snapshot = yield* chain.snapshot
      const before = yield* Effect.forEach([0, 1, 2, 3], hashAt)
      const { body, status } = yield* control("POST", "/chains/1001/reorg", { depth: 2 })
      assert.deepInclude({ status, height: body.height, pending: body.pending }, { status: 200, height: 3, pending: 3 })
      const after = yield* Effect.forEach([0, 1, 2, 3], hashAt)
      assert.deepStrictEqual(after.map((hash, height) => hash === before[height]), [true, true, false, false])
      assert.isNull(yield* DevRpc.call("eth_getTransactionReceipt", mined[1]))
      assert.isNotNull(yield* DevRpc.call("eth_getTransactionByHash", mined[1]))
      assert.strictEqual((yield* Effect.flip(chain.revert(snapshot)))._tag, "NotFound")
      yield* chain.mine()
      for (const hash of [...mined, waiting]) {
        assert.include(yield* DevRpc.object("eth_getTransactionReceipt", hash), { status: "0x1" })
      }
      assert.deepInclude(yield* DevRpc.object("eth_getTransactionReceipt", mined[2]), {
        blockNumber: "0x4",
        transactionIndex: "0x1"
      })
    }))

  it.effect("without its transactions has lost them, and their sender can send again at their nonces", () =>
    Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      const chain = controls.chain(1001)
      const first = yield* signed("bob", 0n, 60n * gpeb)
      const hash = yield* DevRpc.call("eth_sendRawTransaction", first)
      yield* chain.mine()
      assert.isTrue(yield* DevRpc.call("sandbox_reorg", { depth: 1, transactions: "drop" }))
      assert.isNull(yield* DevRpc.call("eth_getTransactionByHash", hash))
      assert.strictEqual(yield* DevRpc.call("eth_sendRawTransaction", first), hash)
      yield* chain.emptyPool
    }))

  it.effect("takes by anvil's method the transactions of the new blocks: bytes, or fields to sign", () =>
    Effect.gen(function*() {
      const { chains, control: controls } = yield* Sandbox.Sandbox
      const chain = controls.chain(1001)
      yield* chain.mine({ blocks: 3 })
      const { height } = yield* chain.state
      const lost = yield* DevRpc.call("eth_sendRawTransaction", yield* signed("carol", 0n, 60n * gpeb))
      yield* chain.mine()
      const from = chains.account("carol").address
      assert.isNull(
        yield* DevRpc.call("anvil_reorg", 3, [
          [{ from, to, value: "0x2" }, 0],
          [yield* signed("dave", 0n, 60n * gpeb), 2],
          [{ from, to, value: "0x3" }, 2]
        ])
      )
      assert.strictEqual((yield* chain.state).height, height + 1)
      const contents = yield* Effect.forEach([height - 1, height, height + 1], (number) =>
        Effect.map(
          DevRpc.object("eth_getBlockByNumber", `0x${number.toString(16)}`, true),
          ({ transactions }) =>
            (transactions as ReadonlyArray<Record<string, unknown>>).map(({ nonce, value }) => [nonce, value])
        ))
      assert.deepStrictEqual(contents, [[["0x0", "0x2"]], [], [["0x0", "0x1"], ["0x1", "0x3"]]])
      assert.isNull(yield* DevRpc.call("eth_getTransactionByHash", lost))
    }))

  it.effect("is refused for more blocks than it has, and for a block that is not there", () =>
    Effect.gen(function*() {
      const { height } = yield* (yield* Sandbox.Sandbox).control.chain(1001).state
      for (const depth of [0, height + 1]) {
        const { body, status } = yield* control("POST", "/chains/1001/reorg", { depth })
        assert.deepStrictEqual([status, body._tag], [400, "InvalidControl"])
        assert.strictEqual((yield* DevRpc.failure("anvil_reorg", depth, [])).code, -32602)
      }
      const refused = yield* DevRpc.failure("anvil_reorg", 1, [[yield* signed("erin", 0n, 60n * gpeb), 1]])
      assert.include(refused.message, "there is no block 1")
      assert.strictEqual((yield* (yield* Sandbox.Sandbox).control.chain(1001).state).height, height)
    }))
})

layer(Sandbox.layer({ seed: "bad days mined" }), { excludeTestServices: true })(
  "With a block for each transaction",
  (it) => {
    it.effect("what is set back is mined again in the blocks that follow", () =>
      Effect.gen(function*() {
        const hash = yield* DevRpc.call("eth_sendRawTransaction", yield* signed("alice", 0n, 60n * gpeb))
        yield* DevRpc.call("sandbox_reorg", { depth: 1 })
        const { blockNumber, status } = yield* DevRpc.object("eth_getTransactionReceipt", hash)
        assert.deepStrictEqual([blockNumber, status], ["0x2", "0x1"])
      }))
  }
)
