import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Address from "ox/Address"
import { devMethods } from "../src/internal/devRpc/devMethods.js"
import { DevRpcState } from "../src/internal/devRpc/DevRpcState.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const sandbox = Sandbox.layer({ seed: "devRpc names", clock: { start: 1_600_000_000, step: 1 } })

const someone = `0x${"ab".repeat(20)}`
const other = `0x${"cd".repeat(20)}`

/** Returns the value of slot 0: PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const reader = "0x5f545f5260205ff3"

const height = Effect.map(DevRpc.text("eth_blockNumber"), Number)
const latest = DevRpc.object("eth_getBlockByNumber", "latest", false)
const timestamp = Effect.map(latest, (block) => Number(block["timestamp"]))
const firstAccount = Effect.map(DevRpc.texts("eth_accounts"), ([one]) => one ?? assert.fail("no account"))

/** Methods that take something else than those of anvil's with the same name. */
const different = ["evm_mine", "hardhat_setBlockTimestampInterval"]

layer(sandbox, { excludeTestServices: true })("A name of anvil's", (it) => {
  it.effect("is for the method that another tool has under the same name", () =>
    Effect.sync(() => {
      const methods = devMethods(new DevRpcState(() => []))
      const shared = Object.keys(methods).flatMap((name) => {
        const [prefix, end = ""] = name.split("_")
        return prefix === "anvil" ? [`hardhat_${end}`, `evm_${end}`].map((twin) => [name, twin] as const) : []
      }).filter(([, twin]) => twin in methods && !different.includes(twin))
      for (const [name, twin] of shared) assert.strictEqual(methods[name], methods[twin], name)
      assert.includeDeepMembers(shared, [
        ["anvil_setAutomine", "evm_setAutomine"],
        ["anvil_mine", "hardhat_mine"],
        ["anvil_metadata", "hardhat_metadata"]
      ])
    }))

  it.effect("edits accounts and impersonates them", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("anvil_setBalance", someone, "0xde0b6b3a7640000")
      yield* DevRpc.call("anvil_setCode", other, reader)
      yield* DevRpc.call("anvil_setStorageAt", other, "0x0", `0x${"0".repeat(62)}2a`)
      assert.strictEqual(BigInt(yield* DevRpc.text("eth_call", { to: other }, "latest")), 42n)
      yield* DevRpc.call("anvil_setCode", other, "0x")
      yield* DevRpc.call("anvil_impersonateAccount", someone)
      const send = { from: someone, to: other, value: "0x5" }
      const hash = yield* DevRpc.text("eth_sendTransaction", send)
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", hash), { from: someone, status: "0x1" })
      yield* DevRpc.call("anvil_stopImpersonatingAccount", someone)
      assert.match((yield* DevRpc.failure("eth_sendTransaction", send)).message, /unknown account/)
      const unsigned = yield* DevRpc.text("eth_sendUnsignedTransaction", send)
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", unsigned), { from: someone, status: "0x1" })
      assert.strictEqual(yield* DevRpc.call("eth_getBalance", other, "latest"), "0xa")
    }))

  it.effect("moves time, and sets the fields of the next block", () =>
    Effect.gen(function*() {
      const start = yield* timestamp
      const snapshot = yield* DevRpc.call("anvil_snapshot")
      yield* DevRpc.call("anvil_increaseTime", 100)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp, start + 101)
      yield* DevRpc.call("anvil_setNextBlockTimestamp", start + 500)
      yield* DevRpc.call("anvil_setCoinbase", someone)
      yield* DevRpc.call("anvil_setPrevRandao", `0x${"12".repeat(32)}`)
      yield* DevRpc.call("anvil_setBlockGasLimit", "0x1c9c380")
      assert.strictEqual(yield* DevRpc.call("eth_coinbase"), someone)
      yield* DevRpc.call("evm_mine")
      assert.include(yield* latest, { miner: someone, mixHash: `0x${"12".repeat(32)}`, gasLimit: "0x1c9c380" })
      assert.strictEqual(yield* timestamp, start + 500)
      assert.strictEqual(yield* DevRpc.call("anvil_setTime", start + 1_500), 1_000)
      assert.isTrue(yield* DevRpc.call("anvil_revert", snapshot))
      assert.strictEqual(yield* timestamp, start)
      yield* DevRpc.call("anvil_reset")
      assert.strictEqual(yield* height, 0)
    }))
})

layer(sandbox, { excludeTestServices: true })("A name of Hardhat's", (it) => {
  it.effect("puts blocks apart, by milliseconds, until that is taken back", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("evm_mine")
      const start = yield* timestamp
      yield* DevRpc.call("hardhat_setBlockTimestampInterval", 60_000)
      yield* DevRpc.call("hardhat_mine", "0x2")
      assert.strictEqual(yield* timestamp, start + 120)
      yield* DevRpc.call("hardhat_removeBlockTimestampInterval")
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp, start + 121)
    }))

  it.effect("for the log is taken, which there is none of", () =>
    Effect.gen(function*() {
      for (const name of ["hardhat_setLoggingEnabled", "anvil_setLoggingEnabled"]) {
        assert.isTrue(yield* DevRpc.call(name, false))
      }
    }))
})

layer(sandbox, { excludeTestServices: true })("Mining at an interval", (it) => {
  it.effect.each(["evm", "anvil"])("is set and told by the names of %s", (prefix) =>
    Effect.gen(function*() {
      const before = yield* height
      yield* DevRpc.call(`${prefix}_setIntervalMining`, 1)
      assert.strictEqual(yield* DevRpc.call("anvil_getIntervalMining"), 1)
      assert.isFalse(yield* DevRpc.call("anvil_getAutomine"))
      yield* Effect.repeat(height, {
        until: (reached) => reached > before,
        schedule: Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurs(200)))
      })
      assert.isAbove(yield* height, before)
      yield* DevRpc.call(`${prefix}_setIntervalMining`, 0)
      assert.isNull(yield* DevRpc.call("anvil_getIntervalMining"))
      yield* DevRpc.call("anvil_setAutomine", true)
      assert.isTrue(yield* DevRpc.call("hardhat_getAutomine"))
    }))
})

layer(sandbox, { excludeTestServices: true })("What waits", (it) => {
  it.effect("is listed, also in a line for each", () =>
    Effect.gen(function*() {
      const from = yield* firstAccount
      yield* DevRpc.call("anvil_setAutomine", false)
      const send = (nonce: string, to?: string) =>
        DevRpc.text("eth_sendTransaction", { from, value: "0x7", gas: "0x186a0", gasPrice: "0x5d21dba00", nonce, to })
      const first = yield* send("0x0", someone)
      // It can't run before the nonces between.
      yield* send("0x4")
      const sender = Address.checksum(from)
      // What it lists is checked next.
      const listed = (yield* DevRpc.call("eth_pendingTransactions")) as ReadonlyArray<{ readonly hash: string }>
      assert.deepStrictEqual(listed.map(({ hash }) => hash), [first])
      assert.deepStrictEqual(yield* DevRpc.object("txpool_inspect"), {
        pending: { [sender]: { 0: `${Address.checksum(someone)}: 7 kei + 100000 gas × 25000000000 kei` } },
        queued: { [sender]: { 4: "contract creation: 7 kei + 100000 gas × 25000000000 kei" } }
      })
    }))
})

layer(sandbox, { excludeTestServices: true })("Ethereum's names", (it) => {
  it.effect("of a wallet and of the protocol are served", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* DevRpc.call("eth_requestAccounts"), yield* DevRpc.call("eth_accounts"))
      assert.strictEqual(yield* DevRpc.call("eth_protocolVersion"), yield* DevRpc.call("klay_protocolVersion"))
    }))
})
