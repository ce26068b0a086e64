import type { LogRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { DevRpcState } from "../src/internal/devRpc/DevRpcState.js"
import { filterMethods } from "../src/internal/devRpc/filterMethods.js"
import { type Filter, filterLimits, Filters } from "../src/internal/devRpc/Filters.js"
import { told } from "../src/internal/rpc/logs.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({ seed: "devRpc filters", clock: { start: 1_600_000_000, step: 1 } })

/** Emits a log without topics when it is called: PUSH0 PUSH0 LOG0. */
const logger = "0x5f5fa0"
const contract = `0x${"10".repeat(20)}`
const many = `0x${"13".repeat(20)}` as const
const elsewhere = `0x${"11".repeat(20)}`
const branched = `0x${"12".repeat(20)}`

const list = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(DevRpc.call(method, ...params), (result) => {
    assert.isArray(result)
    // Whatever was said about its items is what the test goes on to check.
    return result as ReadonlyArray<Record<string, unknown>>
  })

const send = (from: string, to: string) => DevRpc.text("eth_sendTransaction", { from, to, gas: "0xc350" })

layer(sandbox, { excludeTestServices: true })("A filter", (it) => {
  it.effect("of blocks reports each new block once", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("evm_mine")
      const filter = yield* DevRpc.text("eth_newBlockFilter")
      assert.deepStrictEqual(yield* list("eth_getFilterChanges", filter), [])
      yield* DevRpc.call("hardhat_mine", 2)
      const head = Number(yield* DevRpc.text("eth_blockNumber"))
      const hashes = yield* Effect.forEach([head - 1, head], (height) =>
        Effect.map(DevRpc.object("eth_getBlockByNumber", `0x${height.toString(16)}`, false), ({ hash }) =>
          hash))
      assert.deepStrictEqual(yield* DevRpc.call("eth_getFilterChanges", filter), hashes)
      assert.deepStrictEqual(yield* list("eth_getFilterChanges", filter), [])
      assert.isTrue(yield* DevRpc.call("eth_uninstallFilter", filter))
      assert.isFalse(yield* DevRpc.call("eth_uninstallFilter", filter))
      assert.deepInclude(yield* DevRpc.failure("eth_getFilterChanges", filter), { message: "filter not found" })
    }))

  it.effect("of logs reports more than a search may find, also of one block", () =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      // Emits 6,000 logs.
      yield* DevRpc.call("hardhat_setCode", many, "0x6117705b5f5fa060019003806003570000")
      const filter = yield* DevRpc.text("eth_newFilter", { address: many })
      const emit = DevRpc.text("eth_sendTransaction", { from, to: many, gas: "0x4c4b40" })
      yield* emit
      yield* emit
      const search = { address: many, fromBlock: "earliest" }
      assert.strictEqual(
        (yield* DevRpc.failure("eth_getLogs", search)).message,
        "query returned more than 10000 results"
      )
      assert.lengthOf(yield* list("eth_getFilterChanges", filter), 12_000)
      assert.lengthOf(yield* list("eth_getFilterChanges", filter), 0)
    }))

  it.effect("of logs leaves to the next poll what is too much at once, and no block twice", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      const asked: Array<readonly [number, number]> = []
      // A chain whose blocks have 40,000 logs each.
      const hash = `0x${"00".repeat(32)}` as const
      const log: LogRecord = {
        address: many,
        topics: [],
        data: "0x",
        blockNumber: 1,
        blockHash: hash,
        transactionHash: hash,
        transactionIndex: 0,
        logIndex: 0
      }
      const large: typeof chain = {
        ...chain,
        logs: ({ fromBlock, limit, toBlock }) => {
          asked.push([fromBlock ?? 0, toBlock ?? 0])
          const count = 40_000 * ((toBlock ?? 0) - (fromBlock ?? 0) + 1)
          return Effect.succeed(Array.from({ length: Math.min(count, limit) }, () => log))
        }
      }
      const filter = {
        blockHash: undefined,
        fromBlock: "latest",
        toBlock: "latest",
        addresses: [],
        topics: []
      } as const
      const { last, logs } = yield* told(large, filter, 1, 8)
      assert.deepStrictEqual([last, logs.length], [2, 80_000])
      assert.deepStrictEqual(asked, [[1, 8], [1, 4], [1, 2]])
    }))

  it.effect("of blocks or logs reports those of another branch, also if it is longer", () =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      yield* DevRpc.call("hardhat_setCode", branched, logger)
      yield* DevRpc.call("evm_mine")
      const blocks = yield* DevRpc.text("eth_newBlockFilter")
      const logs = yield* DevRpc.text("eth_newFilter", { address: branched })
      yield* send(from, branched)
      assert.lengthOf(yield* list("eth_getFilterChanges", blocks), 1)
      assert.lengthOf(yield* list("eth_getFilterChanges", logs), 1)
      // One block without, and one with the transaction that was taken back.
      yield* DevRpc.call("sandbox_reorg", { depth: 1 })
      const head = Number(yield* DevRpc.text("eth_blockNumber"))
      const hashes = yield* Effect.forEach([head - 1, head], (height) =>
        Effect.map(DevRpc.object("eth_getBlockByNumber", `0x${height.toString(16)}`, false), ({ hash }) =>
          hash))
      assert.deepStrictEqual(yield* DevRpc.call("eth_getFilterChanges", blocks), hashes)
      assert.deepStrictEqual(
        (yield* list("eth_getFilterChanges", logs)).map(({ blockHash }) =>
          blockHash
        ),
        hashes.slice(1)
      )
      assert.deepStrictEqual(yield* list("eth_getFilterChanges", blocks), [])
    }))

  it.effect("of logs reports those that match, and all of them again when asked", () =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      yield* DevRpc.call("hardhat_setCode", contract, logger)
      yield* DevRpc.call("hardhat_setCode", elsewhere, logger)
      yield* send(from, contract)
      const filter = yield* DevRpc.text("eth_newFilter", { address: contract, fromBlock: "0x0" })
      const second = yield* send(from, contract)
      yield* send(from, elsewhere)
      const found = yield* list("eth_getFilterChanges", filter)
      assert.deepStrictEqual(found.map((log) => [log["address"], log["transactionHash"]]), [[contract, second]])
      assert.deepStrictEqual(yield* list("eth_getFilterChanges", filter), [])
      assert.lengthOf(yield* list("eth_getFilterLogs", filter), 2)
      const other = yield* DevRpc.text("eth_newBlockFilter")
      assert.deepInclude(yield* DevRpc.failure("eth_getFilterLogs", other), { message: "filter not found" })
    }))

  it.effect("of pending transactions reports what waits and what was mined at once, each once", () =>
    Effect.gen(function*() {
      const [from = "", to = ""] = yield* DevRpc.texts("eth_accounts")
      const filter = yield* DevRpc.text("eth_newPendingTransactionFilter")
      const mined = yield* send(from, to)
      yield* DevRpc.call("evm_setAutomine", false)
      const waiting = yield* send(from, to)
      const changes = Effect.map(
        DevRpc.call("eth_getFilterChanges", filter),
        (hashes) => hashes as ReadonlyArray<string>
      )
      assert.deepStrictEqual(yield* changes, [mined, waiting])
      yield* DevRpc.call("evm_mine")
      assert.deepStrictEqual(yield* changes, [])
      yield* DevRpc.call("evm_setAutomine", true)
    }))

  it.effect("goes on after a revert with the blocks that come", () =>
    Effect.gen(function*() {
      const snapshot = yield* DevRpc.text("evm_snapshot")
      yield* DevRpc.call("hardhat_mine", 3)
      const filter = yield* DevRpc.text("eth_newBlockFilter")
      yield* DevRpc.call("evm_revert", snapshot)
      assert.deepStrictEqual(yield* list("eth_getFilterChanges", filter), [])
      yield* DevRpc.call("evm_mine")
      assert.lengthOf(yield* list("eth_getFilterChanges", filter), 1)
    }))

  it.effect.each(["klay", "kaia"])("is served under %s as under eth", (namespace) =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      yield* DevRpc.call("hardhat_setCode", contract, logger)
      const logs = yield* DevRpc.text(`${namespace}_newFilter`, { address: contract })
      const blocks = yield* DevRpc.text(`${namespace}_newBlockFilter`)
      const pool = yield* DevRpc.text(`${namespace}_newPendingTransactionFilter`)
      const hash = yield* send(from, contract)
      const changes = (filter: string) => list(`${namespace}_getFilterChanges`, filter)
      assert.deepStrictEqual((yield* changes(logs)).map((log) => log["transactionHash"]), [hash])
      assert.lengthOf(yield* changes(blocks), 1)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* changes(pool), [hash])
      assert.lengthOf(yield* list(`${namespace}_getFilterLogs`, logs), 1)
      for (const filter of [logs, blocks, pool]) {
        assert.isTrue(yield* DevRpc.call(`${namespace}_uninstallFilter`, filter))
      }
    }))

  it.effect("has an identifier that is any text, and is found by its own alone", () =>
    Effect.gen(function*() {
      for (const method of ["eth_getFilterChanges", "kaia_getFilterLogs"]) {
        for (const id of ["0x1", "0x", "0xabc", "", "filter", null]) {
          assert.deepStrictEqual(yield* DevRpc.failure(method, id), { code: -32000, message: "filter not found" })
        }
        for (const [id, kind] of [[1, "number"], [{}, "object"], [[], "array"], [true, "bool"]] as const) {
          assert.deepStrictEqual(yield* DevRpc.failure(method, id), {
            code: -32602,
            message: `invalid argument 0: json: cannot unmarshal ${kind} into Go value of type rpc.ID`
          })
        }
        assert.deepInclude(yield* DevRpc.failure(method), { code: -32602 })
      }
      assert.isFalse(yield* DevRpc.call("klay_uninstallFilter", "0x1"))
    }))

  it.effect("of logs watches no pending blocks and no range that ends before it begins", () =>
    Effect.gen(function*() {
      const pending = { code: -32000, message: "pending logs are not supported" }
      for (
        const range of [{ fromBlock: "pending" }, { toBlock: "pending" }, { fromBlock: "0x0", toBlock: "pending" }]
      ) {
        for (const method of ["eth_newFilter", "kaia_newFilter", "eth_getLogs", "klay_getLogs"]) {
          assert.deepStrictEqual(yield* DevRpc.failure(method, range), pending, method)
        }
      }
      const reversed = { code: -32000, message: "invalid from and to block combination: from > to" }
      for (const range of [{ toBlock: "0x1" }, { toBlock: "earliest" }, { fromBlock: "0x2", toBlock: "0x1" }]) {
        assert.deepStrictEqual(yield* DevRpc.failure("eth_newFilter", range), reversed)
        // A search of such a range finds nothing.
        assert.deepStrictEqual(yield* list("eth_getLogs", range), [])
      }
      for (const tag of ["earliest", "latest", "safe", "finalized", "0x0"]) {
        yield* DevRpc.text("eth_newFilter", { fromBlock: tag })
      }
    }))

  it.effect("reports again what a poll read that was interrupted", () =>
    Effect.gen(function*() {
      const chain = (yield* Sandbox.Sandbox).chains.chain(1001)
      const { eth_getFilterChanges: poll, eth_newBlockFilter: create } = filterMethods(new DevRpcState(() => []))
      const id = yield* create?.(chain, []) ?? assert.fail()
      yield* chain.mine(2)
      const interrupted = yield* Effect.fork(poll?.({ ...chain, block: () => Effect.never }, [id]) ?? assert.fail())
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(interrupted)
      assert.lengthOf(yield* poll?.(chain, [id]) as Effect.Effect<ReadonlyArray<unknown>>, 2)
    }))
})

describe("The filters of a chain", () => {
  const filter = (): Filter => ({ watched: { kind: "blocks" }, next: 1, setBacks: 0 })

  it("are limited in number, and make room when nobody polls them", () => {
    const filters = new Filters()
    const first = filters.add(filter(), 0) ?? assert.fail()
    for (let index = 1; index < filterLimits.filters; index++) assert.isDefined(filters.add(filter(), 0))
    assert.isUndefined(filters.add(filter(), filterLimits.idle))
    assert.isDefined(filters.get(first, filterLimits.idle))
    assert.isDefined(filters.add(filter(), filterLimits.idle + 1))
    assert.isDefined(filters.get(first, filterLimits.idle + 1))
  })

  it("are forgotten when they were not polled for a while", () => {
    const filters = new Filters()
    const id = filters.add(filter(), 0) ?? assert.fail()
    assert.isDefined(filters.get(id, filterLimits.idle))
    assert.isUndefined(filters.get(id, 2 * filterLimits.idle + 1))
    assert.isFalse(filters.remove(id))
  })
})
