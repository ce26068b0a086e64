import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, it, layer } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"
import { contractOf, signed } from "./support/nodeWorld.js"
import * as Rpc from "./support/rpc.js"

const options = { seed: "contracts", clock: { start: 1_600_000_000, step: 1 } } as const
const price = 25_000_000_000n
const klay = 10n ** 18n

const account = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name))

const nonceOf = ({ address }: DevAccount) =>
  Effect.map(Rpc.call("klay_getTransactionCount", address, "pending"), (nonce) => BigInt(String(nonce)))

/** Submits a legacy transaction: its hash. */
const submit = (from: DevAccount, to: Hex | undefined, input: Hex, value = 0n, gas = 3_000_000n) =>
  Effect.gen(function*() {
    const raw = signed(from, {
      type: "LegacyTransaction",
      nonce: yield* nonceOf(from),
      gas,
      gasPrice: price,
      ...(to !== undefined && { to }),
      value,
      input
    })
    return String(yield* Rpc.call("eth_sendRawTransaction", raw))
  })

/** Deploys code given as hex without 0x: its address. */
const deploy = (from: DevAccount, code: string) =>
  Effect.gen(function*() {
    const receipt = yield* Rpc.object("eth_getTransactionReceipt", yield* submit(from, undefined, contractOf(code)))
    assert.strictEqual(receipt["status"], "0x1")
    return String(receipt["contractAddress"]) as Hex
  })

const word = (value: bigint | number) => value.toString(16).padStart(64, "0")

/** Code that reverts with `Error("no")`. */
const reverting = (() => {
  const data = `08c379a0${word(32)}${word(2)}${"6e6f".padEnd(64, "0")}`
  // CODECOPY the 100 bytes behind the 12 of the code, REVERT with them.
  return `6064600c60003960646000fd${data}`
})()

layer(Sandbox.layer(options), { excludeTestServices: true })("Contracts over JSON-RPC", (it) => {
  it.effect("are deployed, called and read, in both shapes", () =>
    Effect.gen(function*() {
      const alice = yield* account("alice")
      const code = TokenContract.creationCode({ kind: "ft", name: "Apple", symbol: "APL", decimals: 2 })
      const hash = yield* submit(alice, undefined, code)
      const receipt = yield* Rpc.object("klay_getTransactionReceipt", hash)
      assert.strictEqual(receipt["type"], "TxTypeLegacyTransaction")
      assert.strictEqual(receipt["to"], null)
      const address = String(receipt["contractAddress"]) as Hex
      const token = { address, kind: "ft", minter: "anyone" } as const
      assert.match(String(yield* Rpc.call("eth_getCode", address, "latest")), /^0x60/)
      assert.strictEqual(yield* Rpc.call("klay_isContractAccount", address, "latest"), true)
      const mint = yield* submit(
        alice,
        address,
        TokenContract.mintCall(token, { kind: "ft", to: alice.address, amount: 500n })
      )
      const balance = { to: address, data: `0x70a08231${word(BigInt(alice.address))}` }
      assert.strictEqual(yield* Rpc.call("klay_call", balance, "latest"), `0x${word(500)}`)
      const minted = yield* Rpc.object("eth_getTransactionReceipt", mint)
      const before = Number(minted["blockNumber"]) - 1
      assert.strictEqual(yield* Rpc.call("eth_call", balance, before), `0x${word(0)}`)
      assert.strictEqual(yield* Rpc.call("eth_call", balance, { blockHash: minted["blockHash"] }), `0x${word(500)}`)
      const log = {
        address,
        topics: [
          `0x${Buffer.from(keccak_256(Buffer.from("Transfer(address,address,uint256)"))).toString("hex")}`,
          `0x${word(0)}`,
          `0x${word(BigInt(alice.address))}`
        ],
        data: `0x${word(500)}`,
        blockNumber: minted["blockNumber"],
        transactionHash: mint,
        transactionIndex: "0x0",
        blockHash: minted["blockHash"],
        logIndex: "0x0",
        removed: false
      }
      assert.deepStrictEqual(minted["logs"], [log])
      const search = (filter: object) => Rpc.call("eth_getLogs", { fromBlock: "earliest", ...filter })
      assert.deepStrictEqual(yield* search({ address }), [log])
      assert.deepStrictEqual(yield* search({ topics: [null, [log.topics[1], log.topics[2]]] }), [log])
      assert.deepStrictEqual(yield* search({ topics: [null, null, null, null] }), [])
      assert.deepStrictEqual(yield* search({ topics: [[]] }), [log])
      const block = yield* Rpc.object("klay_getBlockByHash", minted["blockHash"], false)
      assert.strictEqual(block["logsBloom"], minted["logsBloom"])
      assert.notStrictEqual(minted["logsBloom"], `0x${"00".repeat(256)}`)
      assert.strictEqual(receipt["logsBloom"], `0x${"00".repeat(256)}`)
    }))

  it.effect("tell why they take everything back", () =>
    Effect.gen(function*() {
      const alice = yield* account("alice")
      const to = yield* deploy(alice, reverting)
      const data = `0x08c379a0${word(32)}${word(2)}${"6e6f".padEnd(64, "0")}`
      const reason = { code: 3, message: "execution reverted: no", data }
      assert.deepStrictEqual(yield* Rpc.failure("klay_call", { to }, "latest"), reason)
      assert.deepStrictEqual(yield* Rpc.failure("eth_estimateGas", { to }), reason)
      const panic = yield* deploy(alice, `6024600c60003960246000fd4e487b71${word(0x11)}`)
      assert.deepStrictEqual(yield* Rpc.failure("eth_call", { to: panic }, "latest"), {
        code: 3,
        message: "execution reverted: arithmetic underflow or overflow",
        data: `0x4e487b71${word(0x11)}`
      })
      const custom = yield* deploy(alice, "63deadbeef6000526004601cfd")
      assert.deepStrictEqual(yield* Rpc.failure("eth_call", { to: custom }, "latest"), {
        code: 3,
        message: "execution reverted",
        data: "0xdeadbeef"
      })
      const silent = yield* deploy(alice, "60006000fd")
      const without = { code: -32000, message: "evm: execution reverted" }
      assert.deepStrictEqual(yield* Rpc.failure("eth_call", { to: silent }, "latest"), without)
      const broken = yield* deploy(alice, "fe")
      const fault = { code: -32000, message: "VM error occurs while running smart contract" }
      assert.deepStrictEqual(yield* Rpc.failure("eth_call", { to: broken }, "latest"), fault)
      const endless = yield* deploy(alice, "5b600056")
      assert.deepStrictEqual(yield* Rpc.failure("eth_call", { to: endless, gas: "0x186a0" }, "latest"), {
        code: -32000,
        message: "out of gas"
      })
      assert.deepStrictEqual(yield* Rpc.failure("eth_estimateGas", { to: endless, gas: "0x186a0" }), {
        code: -32000,
        message: "gas required exceeds allowance (100000)"
      })
      // In a block it is a receipt that says so.
      const receipt = yield* Rpc.object("klay_getTransactionReceipt", yield* submit(alice, to, "0x"))
      assert.strictEqual(receipt["status"], "0x0")
      assert.strictEqual(receipt["txError"], "0x9")
      assert.deepStrictEqual(receipt["logs"], [])
    }))

  it.effect("run with value, with other states and without a trace", () =>
    Effect.gen(function*() {
      const alice = yield* account("alice")
      // Returns its own balance.
      const rich = yield* deploy(alice, "4760005260206000f3")
      const call = (args: object, ...more: ReadonlyArray<unknown>) => Rpc.call("eth_call", args, "latest", ...more)
      assert.strictEqual(yield* call({ from: alice.address, to: rich, value: "0x5" }), `0x${word(5)}`)
      assert.strictEqual(yield* call({ to: rich }), `0x${word(0)}`)
      assert.strictEqual(yield* call({ to: rich }, { [rich]: { balance: "0x7" } }), `0x${word(7)}`)
      assert.strictEqual(yield* call({ to: rich }), `0x${word(0)}`)
      // Returns slot 1.
      const slots = { [rich]: { code: "0x60015460005260206000f3", stateDiff: { [`0x${word(1)}`]: `0x${word(9)}` } } }
      assert.strictEqual(yield* call({ to: rich }, slots), `0x${word(9)}`)
      const nobody = `0x${"77".repeat(20)}`
      const given = { [nobody]: { balance: `0x${klay.toString(16)}` } }
      assert.strictEqual(yield* call({ from: nobody, to: rich, value: "0x1" }, given), `0x${word(1)}`)
      assert.strictEqual(yield* Rpc.call("eth_getBalance", nobody, "latest"), "0x0")
      assert.strictEqual(yield* Rpc.call("klay_accountCreated", nobody, "latest"), false)
    }))

  it.effect("get estimates that suffice and that nothing less does, also when gas is handed on", () =>
    Effect.gen(function*() {
      const alice = yield* account("alice")
      const store = yield* deploy(alice, "6001600055")
      const forward = yield* deploy(alice, `6000600060006000600073${store.slice(2)}5af1801560265700005b60006000fd`)
      for (const to of [store, forward]) {
        const gas = BigInt(String(yield* Rpc.call("klay_estimateGas", { from: alice.address, to })))
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const before = yield* chain.snapshot
        const less = yield* Rpc.object("klay_getTransactionReceipt", yield* submit(alice, to, "0x", 0n, gas - 1n))
        assert.strictEqual(less["status"], "0x0")
        const enough = yield* Rpc.object("klay_getTransactionReceipt", yield* submit(alice, to, "0x", 0n, gas))
        assert.strictEqual(enough["status"], "0x1")
        yield* chain.revert(before)
      }
    }))

  it.effect("are submitted once: a node knows a transaction again", () =>
    Effect.gen(function*() {
      const [bob, carol] = [yield* account("bob"), yield* account("carol")]
      const base = { type: "LegacyTransaction", gas: 21_000n, gasPrice: price, input: "0x", value: 1n } as const
      const raw = signed(bob, { ...base, nonce: 0n, to: carol.address })
      const hash = yield* Rpc.call("klay_sendRawTransaction", raw)
      assert.strictEqual(hash, `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), "hex"))).toString("hex")}`)
      assert.deepStrictEqual(yield* Rpc.failure("klay_sendRawTransaction", raw), {
        code: -32000,
        message: "nonce too low"
      })
      const dear = signed(bob, { ...base, nonce: 1n, to: carol.address, value: 10n ** 30n })
      assert.deepStrictEqual(yield* Rpc.failure("klay_sendRawTransaction", dear), {
        code: -32000,
        message: "insufficient funds of the sender for value "
      })
      const cheap = signed(bob, { ...base, nonce: 1n, to: carol.address, gasPrice: 1n })
      assert.match((yield* Rpc.failure("eth_sendRawTransaction", cheap)).message, /greater than or equal to baseFee/)
      const little = signed(bob, { ...base, nonce: 1n, to: carol.address, gas: 20_999n })
      assert.strictEqual((yield* Rpc.failure("eth_sendRawTransaction", little)).message, "intrinsic gas too low")
      const other = yield* Rpc.post(
        JSON.stringify({ id: 1, method: "klay_sendRawTransaction", params: [raw] }),
        { "x-chain-id": "8217" }
      )
      assert.strictEqual(JSON.parse(other.text).error.message, "invalid chain id")
    }))
})

const manual = { ...options, mining: "manual" } as const

it.effect("A transaction that waits is shown without a place, and counted", () =>
  Effect.gen(function*() {
    const { control } = yield* Sandbox.Sandbox
    const [alice, bob] = [yield* account("alice"), yield* account("bob")]
    const raw = signed(alice, {
      type: "EthereumDynamicFee",
      chainId: 1001,
      nonce: 0n,
      gas: 21_000n,
      maxFeePerGas: 2n * price,
      maxPriorityFeePerGas: price,
      to: bob.address,
      value: 1n,
      input: "0x",
      accessList: []
    })
    const wrapped = `0x78${raw.slice(2)}`
    const hash = yield* Rpc.call("klay_sendRawTransaction", wrapped)
    const waiting = yield* Rpc.object("klay_getTransactionByHash", hash)
    assert.strictEqual(waiting["blockHash"], `0x${"0".repeat(64)}`)
    assert.strictEqual(waiting["blockNumber"], "0x0")
    assert.strictEqual(waiting["transactionIndex"], "0x0")
    assert.strictEqual(waiting["gasPrice"], "0xba43b7400")
    const eth = yield* Rpc.object("eth_getTransactionByHash", hash)
    assert.deepStrictEqual([eth["blockHash"], eth["blockNumber"], eth["transactionIndex"]], [null, null, null])
    assert.strictEqual(eth["gasPrice"], "0xba43b7400")
    assert.strictEqual(yield* Rpc.call("klay_getRawTransactionByHash", hash), wrapped)
    assert.strictEqual(yield* Rpc.call("eth_getRawTransactionByHash", hash), raw)
    assert.strictEqual(yield* Rpc.call("klay_getTransactionReceipt", hash), null)
    assert.strictEqual(yield* Rpc.call("eth_getTransactionCount", alice.address, "latest"), "0x0")
    assert.strictEqual(yield* Rpc.call("eth_getTransactionCount", alice.address, "pending"), "0x1")
    assert.deepStrictEqual(yield* Rpc.failure("klay_sendRawTransaction", wrapped), {
      code: -32000,
      message: `known transaction: ${String(hash).slice(2)}`
    })
    const rival = signed(alice, {
      type: "LegacyTransaction",
      nonce: 0n,
      gas: 21_000n,
      gasPrice: price,
      to: bob.address,
      value: 2n,
      input: "0x"
    })
    assert.strictEqual(
      (yield* Rpc.failure("eth_sendRawTransaction", rival)).message,
      "there is another tx which has the same nonce in the tx pool"
    )
    yield* control.chain(1001).mine()
    const mined = yield* Rpc.object("klay_getTransactionByHash", hash)
    assert.strictEqual(mined["blockNumber"], "0x1")
    // Base fee and tip.
    assert.strictEqual(mined["gasPrice"], "0xba43b7400")
    assert.strictEqual(mined["maxFeePerGas"], "0xba43b7400")
  }).pipe(Effect.provide(Sandbox.layer(manual))))
