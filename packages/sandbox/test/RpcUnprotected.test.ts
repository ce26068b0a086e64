import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"
import { ask } from "./support/wire.js"

// The published transaction that deploys the CREATE2 factory names no chain. This is the same with one unit of gas more: new
// chains have the factory already. Hash, sender and contract are what ethers 6 computes of these bytes.
const number = "22".repeat(32)
const raw: Hex =
  `0xf8a58085174876e800830186a18080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${number}a0${number}`
const hash = "0x77b02a4b900eb290f23b4b050ceb22b62d78dccb89962a821efdc62739fb942c"
const deployer = "0xef113a331371a674c417a2acf416ff379e1da54c"
const factory = "0x1773a296b4e0449fbf60faa80ecbed4aead33c80"

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
          const inWallet = yield* ask("GET", `/v2/tx/${hash}`)
          assert.strictEqual(inWallet.status, 200)
          assert.include(inWallet.body, { transactionHash: hash, from: deployer, status: "Committed" })
          assert.strictEqual(yield* Rpc.call("klay_recoverFromTransaction", raw, "latest"), deployer)
          // A contract of one's own through it: salt, then code.
          yield* chain.execute({ kind: "execute", from: alice, to: factory, data: `0x${"00".repeat(32)}5f5ff3` })
        }))
    }
  )
}
