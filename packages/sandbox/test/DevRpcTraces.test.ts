import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Address from "ox/Address"
import * as ContractAddress from "ox/ContractAddress"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import * as Rpc from "./support/rpc.js"

const sandbox = Sandbox.layer({ seed: "devRpc traces", clock: { start: 1_600_000_000, step: 1 } })

const outer = `0x${"a1".repeat(20)}` as const
const inner = `0x${"b2".repeat(20)}`
const nobody = `0x${"c3".repeat(20)}` as const
const slot = (value: number): `0x${string}` => `0x${value.toString(16).padStart(64, "0")}`

/** Stores 7 in slot 1 and emits a log: PUSH1 7 PUSH1 1 SSTORE PUSH0 PUSH0 LOG0. */
const writer = "0x60076001555f5fa0"

/** Calls the other contract with all gas, and returns nothing. */
const caller = `0x5f5f5f5f5f73${inner.slice(2)}5af100`

/** Reverts. */
const refuser = "0x5f5ffd"

/** Jumps to itself: JUMPDEST PUSH0 JUMP. */
const endless = "0x5b5f56"

const alice = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account("alice").address)

const send = (to: string, gas = "0x186a0") =>
  Effect.flatMap(alice, (from) => DevRpc.text("eth_sendTransaction", { from, to, gas, gasPrice: "0x5d21dba00" }))

layer(sandbox, { excludeTestServices: true })("A trace", (it) => {
  it.effect("has the messages of a transaction and what it was charged, whatever its tracer is told", () =>
    Effect.gen(function*() {
      const from = yield* alice
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      yield* DevRpc.call("hardhat_setCode", outer, caller)
      const hash = yield* send(outer)
      const { gasUsed } = yield* DevRpc.object("eth_getTransactionReceipt", hash)
      const trace = (config: object) =>
        DevRpc.object("debug_traceTransaction", hash, { tracer: "callTracer", tracerConfig: config })
      const { calls, ...top } = yield* trace({ withLog: true })
      assert.deepStrictEqual(top, { type: "CALL", from, to: outer, value: "0x0", gas: "0x186a0", gasUsed, input: "0x" })
      assert.isArray(calls)
      const [call] = calls as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(call, {
        type: "CALL",
        from: outer,
        to: inner
      })
      assert.notProperty(call, "logs")
      assert.deepStrictEqual((yield* trace({ onlyTopCall: true }))["calls"], calls)
    }))

  it.effect("has the accounts before, and the instructions", () =>
    Effect.gen(function*() {
      const from = yield* alice
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      yield* DevRpc.call("hardhat_setStorageAt", inner, "0x1", slot(5))
      const hash = yield* send(inner)
      const traced = (options: object) => DevRpc.object("debug_traceTransaction", hash, options)
      const pre = yield* traced({ tracer: "prestateTracer" })
      assert.deepStrictEqual(pre[inner], { balance: "0x0", nonce: 0, code: writer, storage: { [slot(1)]: slot(5) } })
      assert.sameMembers(Object.keys(pre), [from, inner])
      const { failed, gas, structLogs } = yield* traced({})
      assert.isFalse(failed)
      assert.strictEqual(gas, Number((yield* DevRpc.object("eth_getTransactionReceipt", hash))["gasUsed"]))
      const steps = structLogs as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(steps.map(({ op }) => op), ["PUSH1", "PUSH1", "SSTORE", "PUSH0", "PUSH0", "LOG0", "STOP"])
      // The STOP is behind the end of the code.
      assert.deepInclude(steps[6], { pc: 8, gasCost: 0, depth: 1, stack: [] })
      assert.deepInclude(steps[2], {
        pc: 4,
        depth: 1,
        stack: [slot(7).slice(2), slot(1).slice(2)],
        memory: [],
        storage: { [slot(1).slice(2)]: slot(7).slice(2) },
        computation: 149_999_760,
        computationCost: 2_510
      })
      const few = yield* traced({ limit: 2, disableStack: true })
      assert.lengthOf(few["structLogs"] as ReadonlyArray<unknown>, 2)
    }))

  it.effect("counts what a call hands on that has too little balance, and names bytes that are no instruction", () =>
    Effect.gen(function*() {
      // Sends 1 peb that is not there with 60,000 gas, and goes on to 0x0c, which is none.
      yield* DevRpc.call("hardhat_setCode", outer, `0x5f5f5f5f600173${inner.slice(2)}61ea60f10c`)
      const hash = yield* send(outer, "0x30d40")
      const { calls, error } = yield* DevRpc.object("debug_traceTransaction", hash, { tracer: "callTracer" })
      assert.strictEqual(error, "invalid opcode 0xc")
      assert.deepInclude((calls as ReadonlyArray<object>)[0], {
        type: "CALL",
        value: "0x1",
        gasUsed: "0x0",
        error: "insufficient balance for transfer"
      })
      const { structLogs } = yield* DevRpc.object("debug_traceTransaction", hash, {})
      const steps = structLogs as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(steps.slice(-2).map(({ gasCost, op }) => [op, gasCost]), [
        // 60,000 handed on, 2,600 for an address that is new here, 9,000 for the value.
        ["CALL", 71_600],
        // A node tells the cost of the instruction before.
        ["Missing opcode 0xc", 71_600]
      ])
    }))

  it.effect("has also the account and the slot of an instruction that can't be paid", () =>
    Effect.gen(function*() {
      // SLOAD of slot 1, then a call of the other contract.
      yield* DevRpc.call("hardhat_setCode", outer, `0x6001545f5f5f5f5f73${inner.slice(2)}5af1`)
      const accounts = (gas: number) =>
        Effect.flatMap(
          send(outer, `0x${gas.toString(16)}`),
          (hash) => DevRpc.object("debug_traceTransaction", hash, { tracer: "prestateTracer" })
        )
      assert.deepNestedInclude(yield* accounts(60_000), { [`${outer}.storage`]: { [slot(1)]: slot(0) } })
      assert.property(yield* accounts(60_000), inner)
      assert.property(yield* accounts(21_000 + 2_103 + 100), inner)
      assert.deepNestedInclude(yield* accounts(21_000 + 2_000), { [`${outer}.storage`]: { [slot(1)]: slot(0) } })
    }))

  it.effect("counts instructions and selectors, by the tracers that a node has", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      const hash = yield* send(inner)
      const traced = (tracer: string) => DevRpc.call("debug_traceTransaction", hash, { tracer })
      assert.deepStrictEqual(yield* traced("unigramTracer"), { PUSH1: 2, SSTORE: 1, PUSH0: 2, LOG0: 1, STOP: 1 })
      assert.deepStrictEqual(yield* traced("bigramTracer"), {
        "PUSH1-PUSH1": 1,
        "PUSH1-SSTORE": 1,
        "SSTORE-PUSH0": 1,
        "PUSH0-PUSH0": 1,
        "PUSH0-LOG0": 1,
        "LOG0-STOP": 1
      })
      assert.strictEqual(yield* traced("opcountTracer"), 7)
      assert.strictEqual(yield* traced("revertTracer"), "")
      assert.deepStrictEqual(yield* traced("4byteTracer"), {})
      assert.deepStrictEqual(yield* traced("fastCallTracer"), yield* traced("callTracer"))
      const nothing = yield* DevRpc.failure("debug_traceTransaction", hash, { tracer: "noopTracer" })
      assert.match(nothing.message, /^json: error calling MarshalJSON/)
    }))

  it.effect("has a node's words for why each message failed", () =>
    Effect.gen(function*() {
      const outermost = (code: string, gas = "0x30d40") =>
        Effect.gen(function*() {
          yield* DevRpc.call("hardhat_setCode", outer, code)
          const hash = yield* send(outer, gas)
          return yield* DevRpc.object("debug_traceTransaction", hash, { tracer: "callTracer" })
        })
      const errorOf = (code: string) => Effect.map(outermost(code), ({ error }) => error)
      assert.strictEqual(yield* errorOf("0x600356"), "evm: invalid jump destination")
      assert.strictEqual(yield* errorOf("0x63ffffffff5ff3"), "out of gas")
      assert.strictEqual(yield* errorOf("0x68ffffffffffffffffff5ff3"), "gas uint64 overflow")
      assert.strictEqual(yield* errorOf("0x60015f5f3e"), "evm: return data out of bounds")
      // Of the messages below.
      const inside = (code: string, gas?: string) =>
        Effect.map(outermost(code, gas), ({ calls }) => {
          assert.isArray(calls)
          const [first] = calls as ReadonlyArray<Record<string, unknown>>
          return [first?.["type"], first?.["error"], first?.["gasUsed"]]
        })
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      assert.deepStrictEqual(
        (yield* inside(`0x5f5f5f5f73${inner.slice(2)}61ea60fa`)).slice(0, 2),
        ["STATICCALL", "evm: write protection"]
      )
      // A creation returns 0xef, or 4,000 bytes, which it can't pay for.
      assert.deepStrictEqual(
        (yield* inside("0x6c60ef5f5360015ff30000000000600052600d60135ff0")).slice(0, 2),
        ["CREATE", "invalid code: must not begin with 0xef"]
      )
      assert.deepStrictEqual(
        (yield* inside("0x64610fa05ff35f526005601b5ff0")).slice(0, 2),
        ["CREATE", "contract creation code storage out of gas"]
      )
      // The pairing of BLS12-381 of nothing, with too little gas and with enough.
      assert.deepStrictEqual((yield* inside("0x5f5f5f5f5f600f6103e8f1")).slice(0, 2), ["CALL", "out of gas"])
      assert.deepStrictEqual((yield* inside("0x5f5f5f5f5f600f620186a0f1")).slice(0, 2), [
        "CALL",
        "invalid input length"
      ])
      // Coin for a precompile, and a call of an address that is reserved for one.
      const reserved = "the address is reserved for pre-compiled contracts"
      yield* DevRpc.call("hardhat_setBalance", outer, "0x9")
      assert.deepStrictEqual(yield* inside("0x5f5f5f5f60016004617530f1"), ["CALL", reserved, "0x0"])
      assert.deepStrictEqual(yield* inside("0x5f5f5f5f5f6103e7617530f1"), ["CALL", reserved, "0x0"])
    }))

  it.effect("of a call has the sender without the price of its gas, for which the base fee is lent", () =>
    Effect.gen(function*() {
      // Returns the balance of the sender.
      yield* DevRpc.call("hardhat_setCode", outer, "0x33315f5260205ff3")
      yield* DevRpc.call("hardhat_setBalance", nobody, "0xde0b6b3a7640000")
      const klay = 10n ** 18n
      const seen = (prices: object) =>
        Effect.map(
          DevRpc.object("debug_traceCall", { from: nobody, to: outer, gas: "0xf4240", ...prices }, "latest", {}),
          ({ returnValue }) => BigInt(`0x${String(returnValue)}`)
        )
      const lent = 1_000_000n * 25n * 10n ** 9n
      assert.strictEqual(yield* seen({ gasPrice: "0x0" }), klay + lent)
      assert.strictEqual(yield* seen({ gasPrice: "0x5d21dba00" }), klay)
      assert.strictEqual(yield* seen({}), klay - lent)
      const called = yield* DevRpc.text("eth_call", { from: nobody, to: outer, gas: "0xf4240" }, "latest")
      assert.strictEqual(BigInt(called), klay)
    }))

  it.effect("tells what an instruction costs that may not change anything, or that no memory is large enough for", () =>
    Effect.gen(function*() {
      const costs = (code: string, callee: string) =>
        Effect.gen(function*() {
          yield* DevRpc.call("hardhat_setCode", outer, code)
          yield* DevRpc.call("hardhat_setCode", inner, callee)
          const { structLogs } = yield* DevRpc.object("debug_traceTransaction", yield* send(outer), {})
          const steps = structLogs as ReadonlyArray<Record<string, unknown>>
          return steps.filter(({ op }) => op === "SSTORE" || op === "LOG0").map(({ gasCost }) => gasCost)
        })
      const still = `0x5f5f5f5f73${inner.slice(2)}61ea60fa00`
      // A slot that is cold and empty; a log of 32 bytes; a log of more memory than there can be.
      assert.deepStrictEqual(yield* costs(still, "0x600160025500"), [22_100])
      assert.deepStrictEqual(yield* costs(still, "0x60205fa000"), [375 + 8 * 32 + 3])
      assert.deepStrictEqual(yield* costs(still, `0x7f${"ff".repeat(32)}5fa000`), [0])
      assert.deepStrictEqual(yield* costs(`0x7f${"ff".repeat(32)}5fa000`, "0x00"), [0])
    }))

  it.effect("of a call tells the gas that a transaction would be charged, less what it gives back", () =>
    Effect.gen(function*() {
      // Clears slot 1, which gives 4,800 back.
      yield* DevRpc.call("hardhat_setCode", outer, "0x5f60015500")
      yield* DevRpc.call("hardhat_setStorageAt", outer, "0x1", slot(5))
      const call = { from: yield* alice, to: outer, gasPrice: "0x5d21dba00" }
      const { gas } = yield* DevRpc.object("debug_traceCall", call, "latest", {})
      const hash = yield* send(outer)
      assert.strictEqual(gas, Number((yield* DevRpc.object("eth_getTransactionReceipt", hash))["gasUsed"]))
    }))

  it.effect("tells the whole cost of a call that can't be paid, unless its accounts are cold and can't be paid already", () =>
    Effect.gen(function*() {
      const cost = (code: string, gas: number) =>
        Effect.gen(function*() {
          yield* DevRpc.call("hardhat_setCode", outer, code)
          const hash = yield* send(outer, `0x${(21_000 + gas).toString(16)}`)
          const { structLogs } = yield* DevRpc.object("debug_traceTransaction", hash, {})
          return (structLogs as ReadonlyArray<Record<string, unknown>>).at(-1)?.["gasCost"]
        })
      const stranger = `73${"e5".repeat(20)}`
      // 60,000 gas, 1 peb for an account that is not there.
      const sending = `0x5f5f5f5f6001${stranger}61ea60f1`
      assert.strictEqual(yield* cost(sending, 6_000), 60_000 + 2_600 + 9_000 + 25_000)
      assert.strictEqual(yield* cost(sending, 2_000), 100)
      assert.strictEqual(yield* cost(`0x5f5f5f5f${stranger}61ea60fa`, 2_000), 100)
    }))

  it.effect("has the message of a revert, by the tracer for that", () =>
    Effect.gen(function*() {
      const message = (code: string) =>
        Effect.gen(function*() {
          yield* DevRpc.call("hardhat_setCode", outer, code)
          return yield* DevRpc.call("debug_traceTransaction", yield* send(outer), { tracer: "revertTracer" })
        })
      const word = (digits: string) => `7f${digits.padEnd(64, "0")}`
      const error = `${word(`08c379a0${"0".repeat(56)}`)}5f52602060045262000005602452${word("68656c6c6f")}604452`
      assert.strictEqual(yield* message(`0x${error}60645ffd`), "hello")
      assert.strictEqual(yield* message(refuser), "")
      assert.strictEqual(yield* message("0x600356"), "")
    }))

  it.effect("of one transaction does not depend on how much those before it in the block did", () =>
    Effect.gen(function*() {
      // Loops with 128 KiB of memory until its gas is gone: its own trace is too large.
      yield* DevRpc.call("hardhat_setCode", outer, "0x5f6201ffe0525b5f50600656")
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      yield* DevRpc.call("evm_setAutomine", false)
      const before = yield* send(outer, "0x15f90")
      const hash = yield* Effect.flatMap(
        alice,
        (from) => DevRpc.text("eth_sendTransaction", { from, to: inner, gas: "0x186a0", gasPrice: "0x5d21dba00" })
      )
      yield* DevRpc.call("evm_mine")
      yield* DevRpc.call("evm_setAutomine", true)
      assert.match((yield* DevRpc.failure("debug_traceTransaction", before, {})).message, /^the trace is too large/)
      assert.lengthOf(
        (yield* DevRpc.object("debug_traceTransaction", hash, {}))["structLogs"] as ReadonlyArray<unknown>,
        7
      )
      // This one keeps the memory of calls alone.
      assert.deepStrictEqual(yield* DevRpc.call("debug_traceTransaction", before, { tracer: "4byteTracer" }), {})
    }))

  it.effect("of a block has each of its transactions, on the state that the ones before left", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setCode", inner, writer)
      yield* DevRpc.call("hardhat_setCode", outer, caller)
      yield* DevRpc.call("evm_setAutomine", false)
      const hashes = yield* Effect.forEach([inner, outer], (to) => send(to))
      yield* DevRpc.call("evm_mine")
      yield* DevRpc.call("evm_setAutomine", true)
      const block = yield* DevRpc.object("eth_getBlockByNumber", "latest", false)
      const options = { tracer: "callTracer" }
      const byNumber = yield* DevRpc.call("debug_traceBlockByNumber", block["number"], options)
      assert.deepStrictEqual(yield* DevRpc.call("debug_traceBlockByHash", block["hash"], options), byNumber)
      const traces = byNumber as ReadonlyArray<{ readonly txHash: string; readonly result: unknown }>
      assert.deepStrictEqual(traces.map(({ txHash }) => txHash), hashes)
      for (const { result, txHash } of traces) {
        assert.deepStrictEqual(result, yield* DevRpc.call("debug_traceTransaction", txHash, options))
      }
      // The state is as before.
      assert.strictEqual(yield* DevRpc.call("eth_blockNumber"), block["number"])
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", yield* send(outer)), { status: "0x1" })
    }))

  it.effect("of a call may begin from other accounts, and says why the call failed", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const overridden = { tracer: "callTracer", stateOverrides: { [outer]: { code: refuser } } }
      assert.deepInclude(yield* DevRpc.object("debug_traceCall", { from, to: outer }, "latest", overridden), {
        type: "CALL",
        to: outer,
        error: "execution reverted",
        reverted: { contract: outer }
      })
    }))

  it.effect("of a call has the computation and the memory of its instructions", () =>
    Effect.gen(function*() {
      // Stores 7 at 0x40 of the memory.
      yield* DevRpc.call("hardhat_setCode", outer, "0x600760405200")
      const call = { from: yield* alice, to: outer }
      const { structLogs } = yield* DevRpc.object("debug_traceCall", call, "latest", {})
      const steps = structLogs as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        steps.map(({ computation, computationCost, op }) => [op, computation, computationCost]),
        [
          ["PUSH1", 150_000_000, 120],
          ["PUSH1", 149_999_880, 120],
          ["MSTORE", 149_999_760, 288],
          ["STOP", 149_999_472, 0]
        ]
      )
      assert.deepStrictEqual(steps[2]?.["memory"], Array(3).fill("0".repeat(64)))
    }))

  it.effect("reads no memory that is not there, however far away a contract says that it is", () =>
    Effect.gen(function*() {
      const from = yield* alice
      const far = `7f80${"00".repeat(31)}`
      // CREATE2 without code from 2^255 on, and of 2^255 bytes; a call with 1 peb that is not there, without data from 2^255 on.
      const codes = [
        `0x5f5f${far}5ff500`,
        `0x5f${far}5f5ff500`,
        `0x5f5f5f${far}600173${inner.slice(2)}5af100`
      ]
      const accounts = yield* Effect.forEach(codes, (code) =>
        Effect.gen(function*() {
          yield* DevRpc.call("hardhat_setCode", outer, code)
          const traced = (tracer: string) =>
            DevRpc.object("debug_traceCall", { from, to: outer, gas: "0x30d40" }, "latest", { tracer })
          assert.deepInclude(yield* traced("callTracer"), { to: outer })
          return Object.keys(yield* traced("prestateTracer"))
        }))
      const created = ContractAddress.fromCreate2({ from: outer, salt: slot(0), bytecode: "0x" })
      assert.deepStrictEqual(accounts.map((touched) => touched.includes(created)), [true, true, false])
      assert.include(accounts[2] ?? [], inner)
    }))

  it.effect(
    "of many writes is given up before it is too large, unless a limit keeps it small",
    () =>
      Effect.gen(function*() {
        // Writes slot after slot until there is no gas: PUSH0, then JUMPDEST DUP1 DUP1 SSTORE PUSH1 1 ADD PUSH1 1 JUMP.
        yield* DevRpc.call("hardhat_setCode", inner, "0x5f5b80805560010160015600")
        const call = { from: yield* alice, to: inner, gas: "0x1312d00" }
        const traced = (options: object) =>
          DevRpc.call("debug_traceCall", call, "latest", { disableMemory: true, disableStack: true, ...options })
        const { message } = yield* DevRpc.failure("debug_traceCall", call, "latest", { disableMemory: true })
        assert.strictEqual(message, "the trace is too large; a limit, disableMemory and disableStorage make it smaller")
        const { structLogs } = (yield* traced({ limit: 20 })) as {
          readonly structLogs: ReadonlyArray<{ storage: object }>
        }
        assert.lengthOf(structLogs, 20)
        assert.deepStrictEqual(structLogs.at(-1)?.storage, {
          [slot(1).slice(2)]: slot(1).slice(2),
          [slot(0).slice(2)]: slot(0).slice(2)
        })
        yield* traced({ disableStorage: true })
      }),
    60_000
  )

  it.effect("is refused where there is nothing to trace, or no such tracer", () =>
    Effect.gen(function*() {
      const unknown = slot(1)
      const refusals = [
        [["debug_traceTransaction", unknown], `transaction ${unknown.slice(2)} not found`],
        [["debug_traceBlockByNumber", "0x0"], "genesis is not traceable"],
        [["debug_traceBlockByNumber", "0xffff"], "the block does not exist (block number: 65535)"],
        [
          [
            "debug_traceCall",
            { from: nobody, to: outer, value: "0xffffffffffffffffffff", gasPrice: "0x0" },
            "latest",
            {}
          ],
          "tracing failed: insufficient balance for transfer"
        ],
        // The price is looked at before the gas.
        [
          ["debug_traceCall", { from: nobody, to: outer, maxFeePerGas: "0x1", gas: "0x1" }, "latest", {}],
          `tracing failed: max fee per gas less than block base fee: address ${
            Address.checksum(nobody)
          }, maxFeePerGas: 1, baseFee: 25000000000`
        ],
        [
          ["debug_traceCall", { to: outer, gas: "0x1", gasPrice: "0x0" }, "latest", {}],
          "tracing failed: intrinsic gas too low"
        ],
        [
          ["debug_traceCall", {}, "latest", { timeout: "soon", tracer: "callTracer" }],
          "time: invalid duration \"soon\""
        ],
        [["debug_traceCall", {}, "latest", { tracer: "" }], "SyntaxError: empty expression not allowed (line 1)"],
        [["debug_traceCall", {}, "latest", { tracer: "anyTracer" }], "ReferenceError: identifier 'anyTracer' undefined"]
      ] as const
      for (const [[method, ...params], message] of refusals) {
        assert.deepStrictEqual(yield* DevRpc.failure(method, ...params), { code: -32000, message })
      }
      assert.strictEqual((yield* Rpc.failure("debug_traceTransaction", unknown)).code, -32601)
    }))

  it.effect("of a loop that never ends is cut off, and the chain goes on", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setCode", inner, endless)
      const call = { from: yield* alice, to: inner, gas: "0x1dcd6500" }
      assert.match((yield* DevRpc.failure("debug_traceCall", call, "latest", {})).message, /too large|timeout/)
      const timed = { tracer: "callTracer", timeout: "1ms" }
      assert.strictEqual((yield* DevRpc.failure("debug_traceCall", call, "latest", timed)).message, "execution timeout")
      yield* DevRpc.call("evm_mine")
    }), 60_000)
})
