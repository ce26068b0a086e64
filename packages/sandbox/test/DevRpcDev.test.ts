import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Address from "ox/Address"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import * as Rpc from "./support/rpc.js"

const someone = `0x${"ab".repeat(20)}`
const other = `0x${"cd".repeat(20)}`

/** Returns the value of slot 0: PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const reader = "0x5f545f5260205ff3"

const height = Effect.map(DevRpc.text("eth_blockNumber"), Number)
const balance = (of: string, at: unknown = "latest") => Effect.map(DevRpc.text("eth_getBalance", of, at), BigInt)
const timestamp = (at: unknown = "latest") =>
  Effect.map(DevRpc.object("eth_getBlockByNumber", at, false), (block) => Number(block["timestamp"]))

const sandbox = Sandbox.layer({ seed: "devRpc dev", clock: { start: 1_600_000_000, step: 1 }, baseFee: "fixed" })

layer(sandbox, { excludeTestServices: true })("An edit of the state", (it) => {
  it.effect("holds at once and without a block, outlasts calls, and leaves earlier blocks as they were", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_mine", "0x2")
      const before = yield* height
      yield* DevRpc.call("hardhat_setBalance", someone, "0xde0b6b3a7640000")
      yield* DevRpc.call("anvil_setNonce", someone, "0x7")
      yield* DevRpc.call("hardhat_setCode", other, reader)
      yield* DevRpc.call("hardhat_setStorageAt", other, "0x0", `0x${"0".repeat(62)}2a`)
      for (let times = 0; times < 2; times++) {
        assert.strictEqual(yield* height, before)
        assert.strictEqual(yield* balance(someone), 10n ** 18n)
        assert.strictEqual(yield* DevRpc.call("eth_getTransactionCount", someone, "pending"), "0x7")
        assert.strictEqual(yield* DevRpc.call("eth_getCode", other, "latest"), reader)
        assert.strictEqual(BigInt(yield* DevRpc.text("eth_call", { to: other }, "latest")), 42n)
        assert.strictEqual(yield* balance(someone, `0x${(before - 1).toString(16)}`), 0n)
        assert.strictEqual(yield* DevRpc.call("eth_call", { to: other }, `0x${(before - 1).toString(16)}`), "0x")
      }
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* balance(someone), 10n ** 18n)
      assert.strictEqual(BigInt(yield* DevRpc.text("eth_call", { to: other }, "latest")), 42n)
      assert.strictEqual(yield* balance(someone, `0x${before.toString(16)}`), 0n)
      assert.strictEqual(yield* DevRpc.call("eth_call", { to: other }, `0x${before.toString(16)}`), "0x")
    }))

  it.effect("belongs to a snapshot, before a block or after one", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setBalance", someone, "0x64")
      yield* DevRpc.call("hardhat_setCode", other, reader)
      const snapshot = yield* DevRpc.call("evm_snapshot")
      yield* DevRpc.call("hardhat_setBalance", someone, "0xc8")
      yield* DevRpc.call("hardhat_setCode", other, "0x")
      yield* DevRpc.call("evm_mine")
      yield* DevRpc.call("hardhat_setBalance", someone, "0x12c")
      assert.isTrue(yield* DevRpc.call("evm_revert", snapshot))
      assert.strictEqual(yield* balance(someone), 100n)
      assert.strictEqual(yield* DevRpc.call("eth_getCode", other, "latest"), reader)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* balance(someone), 100n)
      assert.isFalse(yield* DevRpc.call("evm_revert", snapshot))
      yield* DevRpc.call("hardhat_setBalance", someone, "0x1")
      yield* DevRpc.call("hardhat_reset")
      assert.strictEqual(yield* balance(someone), 0n)
      assert.strictEqual(yield* DevRpc.call("eth_getCode", other, "latest"), "0x")
    }))

  it.effect("is refused where it can't hold, and changes nothing", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setNonce", someone, "0x5")
      const calls = [
        ["hardhat_setNonce", someone, "0x4"],
        ["hardhat_setNonce", someone, `0x${"f".repeat(64)}`],
        ["hardhat_setBalance", someone, `0x1${"0".repeat(64)}`],
        ["hardhat_setBalance", someone, "-1"],
        ["hardhat_setBalance", "0x12", "0x1"],
        ["hardhat_setCode", someone, "0x1"],
        ["hardhat_setStorageAt", someone, "0x0", "0x1"],
        ["evm_setNextBlockTimestamp", 1],
        ["evm_increaseTime", -5],
        ["hardhat_mine", "0xffffff"],
        ["hardhat_reset", { forking: { jsonRpcUrl: "http://localhost" } }]
      ] as const
      for (const [name, ...params] of calls) {
        assert.strictEqual((yield* DevRpc.failure(name, ...params)).code, -32602, name)
      }
      assert.strictEqual(yield* DevRpc.call("eth_getTransactionCount", someone, "latest"), "0x5")
    }))
})

layer(sandbox, { excludeTestServices: true })("Time", (it) => {
  it.effect("moves by as much as is said, and blocks get the timestamps that are asked for", () =>
    Effect.gen(function*() {
      const start = yield* timestamp()
      yield* DevRpc.call("evm_increaseTime", 3600)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp(), start + 3601)
      yield* DevRpc.call("evm_setNextBlockTimestamp", `0x${(start + 5000).toString(16)}`)
      assert.strictEqual(yield* timestamp(), start + 3601)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp(), start + 5000)
      yield* DevRpc.call("evm_mine", start + 6000)
      assert.strictEqual(yield* timestamp(), start + 6000)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp(), start + 6001)
      const before = yield* height
      yield* DevRpc.call("hardhat_mine", "0x3", "0x3c")
      assert.strictEqual(yield* height, before + 3)
      assert.strictEqual(yield* timestamp(), start + 6002 + 2 * 60)
      yield* DevRpc.call("anvil_setBlockTimestampInterval", 10)
      yield* DevRpc.call("anvil_mine", 2)
      assert.strictEqual(yield* timestamp(), start + 6002 + 120 + 20)
      yield* DevRpc.call("anvil_removeBlockTimestampInterval")
      yield* DevRpc.call("anvil_mine")
      assert.strictEqual(yield* timestamp(), start + 6002 + 120 + 21)
    }))
})

layer(Sandbox.layer({ seed: "devRpc time" }))("By the clock of the machine", (it) => {
  it.effect("goes on from the timestamp that was set", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      yield* TestClock.setTime(1_700_000_000_000)
      yield* chain.setNextTimestamp(1_800_000_000)
      yield* chain.mine()
      yield* TestClock.adjust("30 seconds")
      yield* chain.mine()
      assert.strictEqual((yield* chain.head).timestamp, 1_800_000_030)
    }))

  it.effect("builds blocks at an interval as long as that is set", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(8217)
      yield* chain.setMining({ every: "5 seconds" })
      yield* TestClock.adjust("16 seconds")
      yield* Effect.repeat(Effect.yieldNow(), { times: 100 })
      const { number } = yield* chain.head
      assert.strictEqual(number, 3)
      assert.deepStrictEqual(yield* chain.mining, { every: "5 seconds" })
      yield* chain.setMining("manual")
      yield* TestClock.adjust("60 seconds")
      yield* Effect.repeat(Effect.yieldNow(), { times: 100 })
      assert.strictEqual((yield* chain.head).number, number)
    }))
})

layer(sandbox, { excludeTestServices: true })("The pool", (it) => {
  it.effect("fills while mining is manual, can be looked into, and is emptied by a block or by request", () =>
    Effect.gen(function*() {
      const [from = "", to = ""] = yield* DevRpc.texts("eth_accounts")
      const send = (nonce: number) =>
        DevRpc.text("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208", nonce: `0x${nonce.toString(16)}` })
      assert.isTrue(yield* DevRpc.call("hardhat_getAutomine"))
      yield* DevRpc.call("evm_setAutomine", false)
      assert.isFalse(yield* DevRpc.call("anvil_getAutomine"))
      const before = yield* height
      const [first, second, late] = [yield* send(0), yield* send(1), yield* send(5)]
      assert.strictEqual(yield* height, before)
      assert.deepStrictEqual(yield* DevRpc.call("txpool_status"), { pending: "0x2", queued: "0x1" })
      const { pending, queued } = yield* DevRpc.object("txpool_content")
      assert.deepNestedInclude({ pending, queued }, {
        [`pending.${Address.checksum(from)}.1.hash`]: second,
        [`queued.${Address.checksum(from)}.5.hash`]: late
      })
      assert.isTrue(yield* DevRpc.call("hardhat_dropTransaction", second))
      assert.isFalse(yield* DevRpc.call("anvil_dropTransaction", second))
      yield* DevRpc.call("evm_mine")
      assert.isNull(yield* DevRpc.call("eth_getTransactionByHash", second))
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", first), { status: "0x1" })
      yield* DevRpc.call("anvil_dropAllTransactions")
      assert.deepStrictEqual(yield* DevRpc.call("txpool_status"), { pending: "0x0", queued: "0x0" })
      const waiting = yield* send(1)
      yield* DevRpc.call("evm_setAutomine", true)
      assert.include(yield* DevRpc.object("eth_getTransactionReceipt", waiting), { status: "0x1" })
    }))
})

layer(sandbox, { excludeTestServices: true })("The methods for development", (it) => {
  it.effect("say what the node is, in a way that tools accept", () =>
    Effect.gen(function*() {
      assert.match(yield* DevRpc.text("web3_clientVersion"), /^anvil\/effect-klaytn-sandbox\//)
      assert.match(yield* Effect.map(Rpc.call("web3_clientVersion"), String), /^effect-klaytn-sandbox\//)
      assert.include(yield* DevRpc.object("anvil_nodeInfo"), { hardFork: "osaka" })
      const metadata = yield* DevRpc.object("hardhat_metadata")
      assert.include(metadata, { chainId: 1001, latestBlockNumber: yield* height })
      assert.match(String(metadata["instanceId"]), /^0x[0-9a-f]{64}$/)
    }))

  it.effect("are not among those of the service, whoever calls them", () =>
    Effect.gen(function*() {
      const names = [
        "evm_mine",
        "evm_snapshot",
        "evm_revert",
        "evm_increaseTime",
        "hardhat_setBalance",
        "hardhat_reset",
        "anvil_impersonateAccount",
        "anvil_nodeInfo",
        "txpool_content",
        "eth_sendTransaction",
        "eth_signTransaction",
        "eth_sign",
        "personal_sign",
        "eth_signTypedData_v4"
      ]
      for (const name of names) assert.strictEqual((yield* Rpc.failure(name, someone, "0x1")).code, -32601, name)
      assert.deepStrictEqual(yield* Rpc.call("eth_accounts"), [])
    }))
})

describe("A database", () => {
  it.effect("gets an edit with the next block", () =>
    Effect.gen(function*() {
      const { mkdtempSync, rmSync } = yield* Effect.promise(() => import("node:fs"))
      const directory = mkdtempSync(`${(yield* Effect.promise(() => import("node:os"))).tmpdir()}/devRpc-`)
      const database = `${directory}/sandbox.db`
      const code = "0x5f5ff3"
      const withChain = <A, E>(
        use: (chain: ReturnType<Sandbox.Sandbox["Type"]["chains"]["chain"]>) => Effect.Effect<A, E>
      ) => Effect.scoped(Effect.flatMap(Sandbox.make({ database }), ({ chains }) => use(chains.chain(1001))))
      yield* withChain((chain) =>
        Effect.all([
          chain.edit(`0x${"ab".repeat(20)}`, { balance: 5n, code, storage: new Map([[1n, 2n]]) }),
          chain.mine(),
          chain.edit(`0x${"ab".repeat(20)}`, { balance: 6n })
        ])
      )
      const [account, found, slot] = yield* withChain((chain) =>
        Effect.all([
          Effect.flatten(chain.account(`0x${"ab".repeat(20)}`)),
          chain.code(`0x${"ab".repeat(20)}`),
          chain.storageAt(`0x${"ab".repeat(20)}`, 1n)
        ])
      )
      assert.deepStrictEqual([account.balance, found, BigInt(slot)], [5n, code, 2n])
      rmSync(directory, { recursive: true })
    }))
})

/** Returns COINBASE, PREVRANDAO, BASEFEE and GASLIMIT, a word each. */
const fieldReader = "0x415f5244602052486040524560605260805ff3"

/** The fields of a header, and whether the opcodes say the same: on Kaia, GASLIMIT gives 0, and here the limit that somebody has set. */
const fields = (at: unknown, isLimitSet = true) =>
  Effect.gen(function*() {
    const words = (yield* DevRpc.text("eth_call", { to: other }, at)).slice(2).match(/.{64}/g) ?? []
    const { baseFeePerGas, gasLimit, miner, mixHash } = yield* DevRpc.object("eth_getBlockByNumber", at, false)
    const header = [miner, mixHash, baseFeePerGas, gasLimit].map((field) => BigInt(String(field)))
    const shown = isLimitSet ? header : [...header.slice(0, 3), 0n]
    assert.deepStrictEqual(words.map((word) => BigInt(`0x${word}`)), shown)
    return header
  })

layer(sandbox, { excludeTestServices: true })("A field of a block", (it) => {
  it.effect("is shown by opcodes and headers of that block, also later, and ends when it should", () =>
    Effect.gen(function*() {
      yield* DevRpc.call("hardhat_setCode", other, fieldReader)
      yield* DevRpc.call("evm_mine")
      const [firstMiner, , fee = 0n, limit = 0n] = yield* fields("latest", false)
      assert.deepStrictEqual([fee, limit], [25_000_000_000n, 500_000_000n])
      const randao = `0x${"12".repeat(32)}`
      yield* DevRpc.call("hardhat_setCoinbase", someone)
      yield* DevRpc.call("hardhat_setPrevRandao", randao)
      yield* DevRpc.call("anvil_setNextBlockBaseFeePerGas", "0x64")
      yield* DevRpc.call("evm_setBlockGasLimit", "0x1c9c380")
      assert.strictEqual(yield* DevRpc.call("eth_gasPrice"), "0x6e")
      assert.strictEqual((yield* fields("latest", false))[2], fee)
      yield* DevRpc.call("evm_mine")
      const set = yield* DevRpc.text("eth_blockNumber")
      assert.deepStrictEqual(yield* fields(set), [BigInt(someone), BigInt(randao), 100n, 30_000_000n])
      yield* DevRpc.call("evm_mine")
      const [miner, mixHash, ...rest] = yield* fields("latest")
      assert.deepStrictEqual([miner, ...rest], [BigInt(someone), fee, 30_000_000n])
      assert.notStrictEqual(mixHash, BigInt(randao))
      assert.deepStrictEqual(yield* fields(set), [BigInt(someone), BigInt(randao), 100n, 30_000_000n])
      const history = yield* DevRpc.object("eth_feeHistory", "0x2", set, [])
      assert.deepStrictEqual(history["baseFeePerGas"], ["0x5d21dba00", "0x64", "0x5d21dba00"])
      yield* DevRpc.call("evm_setBlockGasLimit", "0x0")
      yield* DevRpc.call("evm_mine")
      const { gasUsedRatio } = yield* DevRpc.object("eth_feeHistory", "0x1", "latest", [])
      assert.deepStrictEqual(gasUsedRatio, [0])
      yield* DevRpc.call("hardhat_reset")
      yield* DevRpc.call("hardhat_setCode", other, fieldReader)
      yield* DevRpc.call("evm_mine")
      assert.deepStrictEqual((yield* fields("latest", false)).filter((_, i) => i === 0 || i === 3), [firstMiner, limit])
    }))

  it.effect("decides which transactions a block takes, and what they pay", () =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      const send = (more: object) => DevRpc.text("eth_sendTransaction", { from, to: someone, value: "0x1", ...more })
      const minedIn = (hash: string) =>
        Effect.map(DevRpc.call("eth_getTransactionReceipt", hash), (found) => found !== null)
      yield* DevRpc.call("hardhat_setNextBlockBaseFeePerGas", "0x1")
      const cheap = yield* send({ gas: "0x5208", gasPrice: "0x1" })
      assert.strictEqual((yield* DevRpc.object("eth_getTransactionReceipt", cheap))["effectiveGasPrice"], "0x1")
      assert.match(
        (yield* DevRpc.failure("eth_sendTransaction", { from, to: someone, gasPrice: "0x1" })).message,
        /gas price/
      )
      yield* DevRpc.call("evm_setAutomine", false)
      const first = yield* send({ gas: "0x5208" })
      const large = yield* send({ gas: "0x989680" })
      const last = yield* send({ gas: "0x989680" })
      yield* DevRpc.call("hardhat_setNextBlockBaseFeePerGas", "0xe8d4a51000")
      yield* DevRpc.call("evm_mine")
      assert.isFalse(yield* minedIn(first))
      yield* DevRpc.call("evm_setBlockGasLimit", "0x7a120")
      yield* DevRpc.call("evm_setAutomine", true)
      assert.deepStrictEqual(yield* Effect.forEach([first, large, last], minedIn), [true, false, false])
      assert.match(
        (yield* DevRpc.failure("eth_sendTransaction", { from, to: someone, gas: "0x7a121" })).message,
        /limit/
      )
      yield* DevRpc.call("evm_setBlockGasLimit", "0x989680")
      assert.deepStrictEqual(yield* Effect.forEach([first, large, last], minedIn), [true, true, true])
      const receipts = yield* Effect.forEach([large, last], (hash) => DevRpc.object("eth_getTransactionReceipt", hash))
      assert.notStrictEqual(receipts[0]?.["blockNumber"], receipts[1]?.["blockNumber"])
    }))

  it.effect("is refused where no block can have it", () =>
    Effect.gen(function*() {
      for (
        const [name, value] of [
          ["hardhat_setCoinbase", "0x12"],
          ["hardhat_setPrevRandao", "0x12"],
          ["hardhat_setNextBlockBaseFeePerGas", `0x1${"0".repeat(32)}`],
          ["evm_setBlockGasLimit", "0x20000000000000"],
          ["evm_setTime", 1]
        ] as const
      ) assert.strictEqual((yield* DevRpc.failure(name, value)).code, -32602, name)
    }))

  it.effect("can be its time, which the clock goes on from", () =>
    Effect.gen(function*() {
      const now = yield* timestamp()
      assert.strictEqual(yield* DevRpc.call("evm_setTime", now + 1_000), 1_000)
      yield* DevRpc.call("evm_mine")
      assert.strictEqual(yield* timestamp(), now + 1_001)
    }))
})
