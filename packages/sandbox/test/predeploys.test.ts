import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { predeployed } from "../scripts/predeployed.js"
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
