import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { concatHex, getContractAddress, type Hex, keccak256 } from "viem"
import { deployerTransaction, predeployed } from "../scripts/predeployed.js"
import { predeploys } from "../src/internal/predeploys.generated.js"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const multicall = "0xca11bde05977b3631167028862be2a173976ca11"

describe("The contracts of the genesis block", () => {
  it("are those of the package that carries their code", () => {
    assert.deepStrictEqual(
      predeploys.map(({ address, code }) => ({ address, code: String(code) })),
      predeployed.map(({ address, code }) => ({ address, code }))
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
