import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"

// The published transaction that deploys the CREATE2 factory, at the same address on every chain: it names none.
const number = "22".repeat(32)
const raw: Hex =
  `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${number}a0${number}`
const hash = "0xeddf9e61fb9d8f5111840daef55e5fde0041f5702856532cdbb5a02998033d26"
const deployer = "0x3fab184622dc19b6109349b94811493bf2a45362"
const factory = "0x4e59b44847b379578588920ca78fbf26c0b4956c"

for (const namespace of ["eth", "klay"]) {
  layer(Sandbox.layer({ seed: `unprotected ${namespace}` }), { excludeTestServices: true })(
    "A legacy transaction that names no chain",
    (it) => {
      it.effect(`is taken by ${namespace}_sendRawTransaction, executed, and shown as it was sent`, () =>
        Effect.gen(function*() {
          const { chains } = yield* Sandbox.Sandbox
          const chain = chains.chain(1001)
          const alice = chains.account("alice")
          const { message } = yield* Rpc.failure(`${namespace}_sendRawTransaction`, raw)
          assert.strictEqual(message, "insufficient funds of the sender for value ")
          yield* chain.execute({ kind: "transfer", from: alice, to: deployer, value: 10n ** 18n })
          assert.strictEqual(yield* Rpc.call(`${namespace}_sendRawTransaction`, raw), hash)
          const receipt = yield* Rpc.object(`${namespace}_getTransactionReceipt`, hash)
          assert.include(receipt, { from: deployer, contractAddress: factory, status: "0x1" })
          const shown = yield* Rpc.object("eth_getTransactionByHash", hash)
          assert.include(shown, { hash, from: deployer, v: "0x1b", r: `0x${number}`, s: `0x${number}` })
          assert.notProperty(shown, "chainId")
          assert.strictEqual(yield* Rpc.call("klay_recoverFromTransaction", raw, "latest"), deployer)
          // A contract of one's own through it: salt, then code.
          yield* chain.execute({ kind: "execute", from: alice, to: factory, data: `0x${"00".repeat(32)}5f5ff3` })
        }))
    }
  )
}
