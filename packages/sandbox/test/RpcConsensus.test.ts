import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

layer(Sandbox.layer({ seed: "consensus" }), { excludeTestServices: true })("The one validator", (it) => {
  it.effect("is council and committee at every block that there is", () =>
    Effect.gen(function*() {
      const { validator } = (yield* Sandbox.Sandbox).chains.chain(1001)
      assert.match(validator, /^0x[0-9a-f]{40}$/)
      yield* DevRpc.call("evm_mine")
      for (const at of [[], ["latest"], ["0x0"], ["0x1"]]) {
        assert.deepStrictEqual(yield* DevRpc.call("klay_getCouncil", ...at), [validator])
        assert.deepStrictEqual(yield* DevRpc.call("kaia_getCommittee", ...at), [validator])
        assert.strictEqual(yield* DevRpc.call("klay_getCouncilSize", ...at), 1)
        assert.strictEqual(yield* DevRpc.call("klay_getCommitteeSize", ...at), 1)
      }
      assert.strictEqual(yield* DevRpc.call("klay_nodeAddress"), validator)
      assert.match((yield* DevRpc.failure("klay_getCouncil", "0x99")).message, /^unknown block$/)
    }))

  it.effect("has agreed on each block but the first, which is shown with its receipts", () =>
    Effect.gen(function*() {
      const { validator } = (yield* Sandbox.Sandbox).chains.chain(1001)
      const [from = ""] = yield* DevRpc.texts("eth_accounts")
      const hash = yield* DevRpc.text("eth_sendTransaction", { from, to: from, value: "0x1" })
      const receipt = yield* DevRpc.object("klay_getTransactionReceipt", hash)
      const number = receipt["blockNumber"]
      const { transactions, ...block } = yield* DevRpc.object("klay_getBlockByNumber", number, false)
      assert.deepStrictEqual(transactions, [hash])
      const shown = yield* DevRpc.object("klay_getBlockWithConsensusInfoByNumber", number)
      assert.deepStrictEqual(shown, {
        ...block,
        transactions: [receipt],
        committee: [validator],
        committers: [validator],
        proposer: validator,
        originProposer: validator,
        round: 0,
        sigHash: block["hash"]
      })
      assert.deepStrictEqual(yield* DevRpc.call("kaia_getBlockWithConsensusInfoByHash", block["hash"]), shown)
      const genesis = yield* DevRpc.object("klay_getBlockWithConsensusInfoByNumber", "0x0")
      assert.deepInclude(genesis, { committee: null, originProposer: null, transactions: [] })
    }))
})
