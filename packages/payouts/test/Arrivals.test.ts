import * as Address from "@effect-klaytn/core/Address"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { arrivedBy, Log } from "../src/internal/arrivals.js"
import * as Payouts from "../src/Payouts.js"
import * as TokenPayout from "../src/TokenPayout.js"
import { account, changing, mine, onSandbox, process, receiver, until } from "./support/backend.js"

/**
 * A token with 10 of it for whoever comes. `transfer` returns false if there is too little, and otherwise logs a transfer of the amount
 * less a fee. It answers `decimals()` with 0, and nothing else.
 */
const codeOf = (fee: number): string =>
  `0x600a60005560${fee.toString(16).padStart(2, "0")}60015561008a61001960003961008a6000f3` +
  "60003560e01c8063a9059cbb1461002c578063313ce567146100215760006000fd5b600060005260206000f3" +
  "5b602435806000541061007f57806000540360005560015460243503600052600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" +
  "60206000a3600160005260206000f35b600060005260206000f3"

interface Receipt {
  readonly logs: ReadonlyArray<object>
}

/** A call of the sandbox's node for dapp tools. */
const rpc = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flatMap(Sandbox.Sandbox, ({ rpcUrl }) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const headers = { "content-type": "application/json" }
      const answer = await fetch(rpcUrl(1001) ?? "", { method: "POST", headers, body })
      return Object(await answer.json()).result
    }))

const deployedCode = (data: string) =>
  Effect.gen(function*() {
    const [from] = yield* rpc("eth_accounts")
    const hash = yield* rpc("eth_sendTransaction", { from, data, gas: "0x2dc6c0" })
    yield* mine
    const token: string = (yield* rpc("eth_getTransactionReceipt", hash)).contractAddress
    return token
  })

const deployed = (fee: number) => deployedCode(codeOf(fee))

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

describe("a token", () => {
  it.scopedLive.each([[255, "255"], [256, "it reports more decimals than a token can have"]] as const)(
    "that reports %i decimals has %s",
    ([decimals, expected]) =>
      Effect.gen(function*() {
        yield* account()
        const word = decimals.toString(16).padStart(4, "0")
        // Answers whatever it is asked with one word.
        const token = yield* deployedCode(`0x600b600c600039600b6000f361${word}60005260206000f3`)
        const found = yield* Effect.either(TokenPayout.decimals(yield* Address.make(token)))
        assert.strictEqual(Either.isRight(found) ? String(found.right) : Object(found.left).problem, expected)
      }).pipe(Effect.provide(process()), onSandbox)
  )
})

describe("a payment of a token that its contract refuses", () => {
  it.scopedLive("by returning false is refused before it is sent", () =>
    Effect.gen(function*() {
      const from = yield* account()
      const token = yield* deployed(0)
      const payouts = yield* Payouts.Payouts
      const input = { token, from, to: receiver, payer: FeeDelegation.service }
      assert.strictEqual((yield* TokenPayout.pay({ ...input, key: "7", amount: "7" })).state._tag, "Executed")
      const error = yield* Effect.flip(TokenPayout.pay({ ...input, key: "11", amount: "11" }))
      assert.deepInclude(error, { _tag: "TokenRefused", problem: "the transfer would return false and move nothing" })
      assert.isTrue(Option.isNone(yield* Effect.option(payouts.get("11"))))
    }).pipe(Effect.provide(process()), onSandbox))

  it.scopedLive("is refused, and the report sees no other amount in its block", () =>
    Effect.gen(function*() {
      const from = yield* account()
      // A contract that reverts any call.
      const token = yield* deployedCode("0x6460006000fd6000526005601bf3")
      const payouts = yield* Payouts.Payouts
      const input = { key: "a", token, from, to: receiver, amount: "7", payer: FeeDelegation.service }
      const { state } = yield* payouts.pay(yield* TokenPayout.transfer(input, 0))
      assert.deepInclude(state, { _tag: "Refused", reason: "Failed" })
      const { timestamp } = yield* rpc("eth_getBlockByNumber", "latest", false)
      const report = yield* payouts.report(new Date(Number(timestamp) * 1000).toISOString().slice(0, 10))
      assert.deepStrictEqual(report.differences.filter(({ _tag }) => _tag === "Differs"), [])
    }).pipe(Effect.provide(process()), onSandbox))
})

describe("what of a transfer arrived", () => {
  const address = Schema.decodeSync(Address.FromWire)
  const [token, from, to, other] = [
    address(`0x${"11".repeat(20)}`),
    address(`0x${"22".repeat(20)}`),
    address(`0x${"33".repeat(20)}`),
    address(`0x${"44".repeat(20)}`)
  ]
  const word = (value: string | number): `0x${string}` => `0x${BigInt(value).toString(16).padStart(64, "0")}`
  const event = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const right = {
    address: token,
    topics: [event, word(from), word(to)],
    data: word(7)
  }

  it("is the sum of the logs of that transfer, and of no other", () => {
    const logs = Schema.decodeUnknownSync(Schema.Array(Log))
    const arrived = (...all: ReadonlyArray<object>) => arrivedBy(logs(all), { token, from, to, amount: 7n })
    assert.strictEqual(arrived(), 0n)
    assert.strictEqual(arrived(right, { ...right, data: word(3) }), 10n)
    const others = [
      { ...right, address: other },
      { ...right, topics: [word(1), word(from), word(to)] },
      { ...right, topics: [event, word(other), word(to)] },
      { ...right, topics: [event, word(from), word(other)] },
      { ...right, topics: [event] },
      { ...right, data: `${word(7)}00` }
    ]
    for (const one of others) assert.strictEqual(arrived(one), 0n)
  })

  const paysWithFee = Effect.gen(function*() {
    const sender = yield* account()
    const token = yield* deployed(2)
    const input = { key: "a", token, from: sender, to: receiver, amount: "7", payer: FeeDelegation.service }
    return yield* TokenPayout.transfer(input)
  })

  const wrongs: ReadonlyArray<readonly [what: string, change: (receipt: Receipt) => unknown]> = [
    ["lacks the receipt", () => null],
    ["gives that of another transaction", (one) => ({ ...one, transactionHash: word(1), logs: [], logsBloom: "0x" })],
    ["gives that of another block", (one) => ({ ...one, blockNumber: "0x1" })],
    ["says in it that it failed", (one) => ({ ...one, status: "0x0", logs: [], logsBloom: "0x" })],
    ["leaves its logs out", (one) => ({ ...one, logs: [], logsBloom: `0x${"01".repeat(256)}` })],
    ["gives a log twice", (one) => ({ ...one, logs: [...one.logs, ...one.logs] })],
    ["gives a log of another transaction", ({ logs, ...one }) => ({
      ...one,
      logs: logs.map((log) => ({ ...log, transactionHash: word(1) }))
    })],
    ["gives a removed log", ({ logs, ...one }) => ({ ...one, logs: logs.map((log) => ({ ...log, removed: true })) })]
  ]
  it.scopedLive.each(wrongs)("is waited for while the node %s", ([, change]) =>
    Effect.gen(function*() {
      let asked = 0
      // A cast: the node of the sandbox has answered.
      const late = changing(
        "klay_getTransactionReceipt",
        (_, result) => ++asked > 3 ? result : change(result as Receipt)
      )
      const { state } = yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        return yield* payouts.pay(yield* paysWithFee)
      }).pipe(Effect.provide(process({}, ":memory:", 1001, late)))
      assert.deepInclude(state, { _tag: "MovedOtherwise", moved: "5" })
      assert.isAbove(asked, 3)
    }).pipe(onSandbox))

  it.scopedLive("is told to somebody who names the transaction, too", () =>
    Effect.gen(function*() {
      const { state } = yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        yield* payouts.submit(yield* paysWithFee)
        const sent = yield* until(payouts.get("a"), ({ state }) => state._tag === "Sent")
        yield* mine
        const { transactionHash } = Object(sent.state)
        return yield* payouts.resolve("a", { _tag: "Sent", transactionHash })
      }).pipe(Effect.provide(process({ confirmInterval: "1 hour" })))
      assert.deepInclude(state, { _tag: "MovedOtherwise", moved: "5" })
    }).pipe((test) => onSandbox(test, { mining: "manual" })))
})
