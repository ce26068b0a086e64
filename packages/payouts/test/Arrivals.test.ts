import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Payouts from "../src/Payouts.js"
import * as TokenPayout from "../src/TokenPayout.js"
import { account, onSandbox, process, receiver } from "./support/backend.js"

/**
 * A token with 10 of it for whoever comes. `transfer` returns false if there is too little, and otherwise logs a transfer of the amount
 * less a fee. It answers `decimals()` with 0, and nothing else.
 */
const codeOf = (fee: number): string =>
  `0x600a60005560${fee.toString(16).padStart(2, "0")}60015561008a61001960003961008a6000f3` +
  "60003560e01c8063a9059cbb1461002c578063313ce567146100215760006000fd5b600060005260206000f3" +
  "5b602435806000541061007f57806000540360005560015460243503600052600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" +
  "60206000a3600160005260206000f35b600060005260206000f3"

/** A call of the sandbox's node for dapp tools. */
const rpc = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flatMap(Sandbox.Sandbox, ({ rpcUrl }) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const headers = { "content-type": "application/json" }
      const answer = await fetch(rpcUrl(1001) ?? "", { method: "POST", headers, body })
      return Object(await answer.json()).result
    }))

const deployed = (fee: number) =>
  Effect.gen(function*() {
    const [from] = yield* rpc("eth_accounts")
    const hash = yield* rpc("eth_sendTransaction", { from, data: codeOf(fee), gas: "0x2dc6c0" })
    const token: string = (yield* rpc("eth_getTransactionReceipt", hash)).contractAddress
    return token
  })

/** Payments of a token, one after the other and each simulated when there was enough, and the report of their day. */
const paid = (fee: number, amounts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const from = yield* account()
    const token = yield* deployed(fee)
    const payouts = yield* Payouts.Payouts
    const states = yield* Effect.forEach(amounts, (amount, index) =>
      Effect.gen(function*() {
        const input = { key: `${index}`, token, from, to: receiver, amount, payer: FeeDelegation.service }
        return (yield* payouts.pay(yield* TokenPayout.transfer(input))).state
      }))
    const { timestamp } = yield* rpc("eth_getBlockByNumber", "latest", false)
    const report = yield* payouts.report(new Date(Number(timestamp) * 1000).toISOString().slice(0, 10))
    return {
      states,
      totals: report.totals.map(({ amount, count, state }) => [state, count, amount]),
      differences: report.differences.flatMap((one) =>
        one._tag === "Differs" ? [[one.key, one.field, one.database, one.chain]] : []
      )
    }
  }).pipe(Effect.provide(process()), onSandbox)

describe("a payment of a token", () => {
  it.scopedLive("that moved what was asked for is executed, and one that moved nothing has an end of its own", () =>
    Effect.gen(function*() {
      const { differences, states, totals } = yield* paid(0, ["7", "7"])
      assert.deepStrictEqual(states.map(({ _tag }) => _tag), ["Executed", "MovedOtherwise"])
      assert.deepInclude(states[1], { moved: "0" })
      assert.match(JSON.stringify(states[1]), /shows that 0 of the token's smallest unit arrived/)
      assert.deepStrictEqual(totals, [["Executed", 1, 7n], ["MovedOtherwise", 1, 0n]])
      assert.deepStrictEqual(differences, [["1", "amount", "7", "0"]])
    }))

  it.scopedLive("that moved another amount ends so too, and counts as what arrived", () =>
    Effect.gen(function*() {
      const { differences, states, totals } = yield* paid(2, ["7"])
      assert.deepInclude(states[0], { _tag: "MovedOtherwise", moved: "5" })
      assert.deepStrictEqual(totals, [["MovedOtherwise", 1, 5n]])
      assert.deepStrictEqual(differences, [["0", "amount", "7", "5"]])
    }))
})
