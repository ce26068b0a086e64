import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi
} from "viem"
import { deployerTransaction, predeployed } from "../scripts/predeployed.js"
import { predeploys } from "../src/internal/predeploys.generated.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"
import { page } from "./support/wire.js"

const multicall = "0xca11bde05977b3631167028862be2a173976ca11"

describe("The contracts of the genesis block", () => {
  it("are those of the sources that have their code", () => {
    assert.deepStrictEqual(
      predeploys.map(({ addresses, code }) => ({ addresses: { ...addresses }, code: String(code) })),
      predeployed.map(({ addresses, code }) => ({ addresses: { ...addresses }, code }))
    )
  })
})

layer(Sandbox.layer({ seed: "predeploys" }), { excludeTestServices: true })("Multicall3", (it) => {
  it.effect("is at its address on both chains, and answers", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      for (const chain of chains.all) {
        assert.isTrue((yield* Effect.flatten(chain.account(multicall))).isContract)
      }
      // getChainId()
      assert.strictEqual(Number(yield* DevRpc.text("eth_call", { to: multicall, data: "0x3408e470" }, "latest")), 1001)
      // getEthBalance(address)
      const { address } = chains.account("alice")
      const data = `0x4d2301cc${address.slice(2).padStart(64, "0")}`
      assert.strictEqual(
        BigInt(yield* DevRpc.text("eth_call", { to: multicall, data }, "latest")),
        BigInt(yield* DevRpc.text("eth_getBalance", address, "latest"))
      )
    }))
})

const deployer = "0x4e59b44847b379578588920ca78fbf26c0b4956c"

layer(Sandbox.layer({ seed: "predeploys" }), { excludeTestServices: true })("The CREATE2 deployer", (it) => {
  it.effect("is where its published transaction would create it", () =>
    Effect.sync(() => {
      const decoded = Transaction.decode(deployerTransaction, { unprotected: true })
      const senders = decoded.ok
        ? Transaction.recoverSenders(decoded.value, { chainId: 1001, unprotected: true })
        : assert.fail(decoded.error.message)
      const from = senders.ok ? senders.value[0]?.address : undefined
      assert.strictEqual(getContractAddress({ from: from ?? "0x", nonce: 0n }).toLowerCase(), deployer)
    }))

  it.effect("creates a contract at the address that salt and code give", () =>
    Effect.gen(function*() {
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      const salt: Hex = `0x${"05".repeat(32)}`
      // Returns the code 0x00.
      const bytecode: Hex = "0x60015ff3"
      yield* DevRpc.call("eth_sendTransaction", { from, to: deployer, data: concatHex([salt, bytecode]) })
      const address = getContractAddress({ opcode: "CREATE2", from: deployer, salt, bytecodeHash: keccak256(bytecode) })
      assert.strictEqual(yield* DevRpc.call("eth_getCode", address, "latest"), "0x00")
    }))
})

/** As wallets and dapps write them, with the checksum of EIP-55. */
const wklay = {
  8217: "0x19Aac5f612f524B754CA7e7c41cbFa2E981A4432",
  1001: "0x043c471bEe060e00A56CcD02c0Ca286808a5A436"
} as const
const wklayAbi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function balanceOf(address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function deposit() payable",
  "function transfer(address, uint256) returns (bool)",
  "function withdraw(uint256)"
])
const klay = 10n ** 18n

/** What the token data service says that an owner has of WKLAY. */
const indexed = (owner: string, chain: 8217 | 1001) =>
  Effect.map(
    page(`/v2/account/${owner}/token?ca-filters=${wklay[chain]}`, { "x-chain-id": String(chain) }),
    ({ items }) => items.map(({ balance }) => balance)
  )

layer(Sandbox.layer({ seed: "predeploys" }), { excludeTestServices: true })("WKLAY", (it) => {
  for (const chain of [8217, 1001] as const) {
    it.effect(`of chain ${chain} takes deposits, moves and pays them back, and token data show it`, () =>
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const [from, to] = [chains.account("alice").address, chains.account("bob").address]
        const on = DevRpc.on(chain)
        const view = (data: Hex) =>
          Effect.map(
            on("eth_call", { to: wklay[chain], data }, "latest"),
            (result): Hex => typeof result === "string" ? `0x${result.slice(2)}` : assert.fail("the answer is no data")
          )
        const send = (data: Hex, value = 0n, gas?: Hex) =>
          Effect.flatMap(
            on("eth_sendTransaction", { from, to: wklay[chain], data, value: numberToHex(value), gas }),
            (hash) => on("eth_getTransactionReceipt", hash)
          )
        const read = (functionName: "name" | "symbol" | "decimals" | "totalSupply") =>
          Effect.map(
            view(encodeFunctionData({ abi: wklayAbi, functionName })),
            (data) => decodeFunctionResult({ abi: wklayAbi, functionName, data })
          )
        const balanceOf = (owner: Hex) =>
          Effect.map(
            view(encodeFunctionData({ abi: wklayAbi, functionName: "balanceOf", args: [owner] })),
            BigInt
          )
        assert.deepStrictEqual(yield* Effect.all([read("name"), read("symbol"), read("decimals")]), [
          "Wrapped Klay",
          "WKLAY",
          18
        ])

        assert.deepInclude(yield* send(encodeFunctionData({ abi: wklayAbi, functionName: "deposit" }), 3n * klay), {
          status: "0x1"
        })
        // A payment without data is a deposit too.
        yield* send("0x", klay)
        yield* send(encodeFunctionData({ abi: wklayAbi, functionName: "transfer", args: [to, klay] }))
        yield* send(encodeFunctionData({ abi: wklayAbi, functionName: "withdraw", args: [2n * klay] }))
        assert.deepStrictEqual(yield* Effect.all([balanceOf(from), balanceOf(to), read("totalSupply")]), [
          klay,
          klay,
          2n * klay
        ])
        assert.strictEqual(BigInt(String(yield* on("eth_getBalance", wklay[chain], "latest"))), 2n * klay)
        assert.deepStrictEqual(yield* indexed(from, chain), [numberToHex(klay)])
        assert.deepStrictEqual(yield* indexed(to, chain), [numberToHex(klay)])

        // More than it has is refused.
        assert.deepInclude(
          yield* send(
            encodeFunctionData({ abi: wklayAbi, functionName: "withdraw", args: [2n * klay] }),
            0n,
            "0x100000"
          ),
          { status: "0x0" }
        )
      }))
  }
})
