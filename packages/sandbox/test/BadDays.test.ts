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
