import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Batch from "../src/Batch.js"
import { faultOf } from "../src/internal/node.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

/** What a revert returns that says "insufficient stake". */
const words = [
  "08c379a0",
  "20".padStart(64, "0"),
  "12".padStart(64, "0"),
  Buffer.from("insufficient stake").toString("hex").padEnd(64, "0")
].join("")

/** Code that is deployed as it is: it takes any call, refuses all of them, silently or in words, or writes 600 slots. */
const codes = {
  taking: "0x6001600c60003960016000f300",
  refusing: "0x6005600c60003960056000f360006000fd",
  wordy: `0x6070600c60003960706000f36064600c60003960646000fd${words}`,
  costly: "0x6010600c60003960106000f36102585b808055600190038060035700"
} as const

/** A client of a service whose node answers the first requests for a method with these answers. */
const answering = (
  method: string,
  answers: ReadonlyArray<
    { readonly error: { readonly code: number; readonly message: string } } | { readonly result: string }
  >
): Layer.Layer<HttpClient.HttpClient> => {
  const left = [...answers]
  return Layer.map(FetchHttpClient.layer, (context) =>
    Context.add(
      context,
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (response, request) => {
        const { body } = request
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        const answer = text.includes(`"${method}"`) ? left.shift() : undefined
        if (answer === undefined) return response
        const { id } = JSON.parse(text)
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ jsonrpc: "2.0", id, ...answer })))
      })
    ))
}

const chain = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))

/** A contract with a code. */
const contract = (code: keyof typeof codes) =>
  Effect.gen(function*() {
    const on = yield* chain
    const hash = yield* on.send({ from: on.faucet, kind: "deploy", code: codes[code] })
    const { contractAddress } = yield* Effect.flatten(on.transaction(hash))
    return contractAddress ?? "none"
  })

const balance = (address: string) =>
  Effect.flatMap(chain, (on) =>
    Effect.map(
      on.account(`0x${address.slice(2)}`),
      Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
    ))

const payment = (key: string, from: string, to: string, memo?: string): Payouts.PayInput => ({
  key,
  from,
  to,
  value: 5n,
  payer: FeeDelegation.service,
  ...(memo === undefined ? {} : { memo })
})

describe("a payment to a contract", () => {
  it.scopedLive("is made by a call, and the account of its nonce goes on", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const input = payment("a", from, to)
        assert.isTrue(Option.isNone((yield* payouts.check(input)).stored))
        assert.deepInclude((yield* payouts.pay(input)).state, { _tag: "Executed", attempt: 1, nonce: 1 })
        assert.strictEqual(yield* balance(to), 5n)
        assert.strictEqual((yield* payouts.pay(input)).state._tag, "Executed")
        assert.deepInclude((yield* payouts.pay(Backend.order("b", from))).state, { _tag: "Executed", nonce: 2 })
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("whose answer is lost is found by its content", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      const { control } = yield* Sandbox.Sandbox
      yield* control.addFault({ operation: "wallet.fdExecute", times: 2, action: { kind: "drop", when: "after" } })
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.deepInclude((yield* payouts.pay(payment("a", from, to))).state, { _tag: "Executed", attempt: 1 })
        assert.strictEqual(yield* balance(to), 5n)
        assert.include((yield* payouts.get("a")).history.map(({ state }) => state._tag), "Unknown")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("that does not take it is refused in words, by a check and by the first step, without a nonce", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const refusing = yield* contract("refusing")
      const wordy = yield* contract("wordy")
      const taking = yield* contract("taking")
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const nobody = "0x00000000000000000000000000000000000ad001"
        const call = { _tag: "Execute" as const, from, to: nobody, input: "0x12345678" }
        const inputs: ReadonlyArray<readonly [Payouts.PayInput, string]> = [
          [payment("refusing", from, refusing), "does not take the payment"],
          [payment("wordy", from, wordy), "execution reverted: insufficient stake"],
          [payment("memo", from, taking, "rent"), "leave the memo out"],
          [{ key: "call", request: call, payer: FeeDelegation.service }, "there is no contract at"]
        ]
        for (const [input, problem] of inputs) {
          const error = yield* Effect.flip(payouts.check(input))
          assert.strictEqual(error._tag, "InvalidInput")
          assert.include(error.message, problem)
          const { state } = yield* payouts.pay(input)
          assert.deepInclude(state, { _tag: "Refused", reason: "NotPayable" })
          assert.include(state._tag === "Refused" ? state.problem : "", problem)
        }
        const { problems } = yield* Batch.check(Batch.fromInputs(Stream.make(payment("line", from, refusing))))
        assert.include(problems[0]?.problem, "does not take the payment")
        assert.deepInclude((yield* payouts.pay(Backend.order("b", from))).state, { _tag: "Executed", nonce: 1 })
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("has the fee of its call put to the policy, as it is made, and is no contract call otherwise", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const costly = yield* contract("costly")
      const taking = yield* contract("taking")
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const input = payment("costly", from, costly)
        const error = yield* Effect.flip(payouts.check(input))
        assert.deepInclude(error, { _tag: "SpendRefused", rule: "fee" })
        const { history, state } = yield* Effect.zipRight(payouts.pay(input), payouts.get("costly"))
        assert.deepInclude(state, { _tag: "Refused", reason: "SpendRefused" })
        assert.deepStrictEqual(history.map(({ event }) => event._tag), ["NotAllowed"])
        assert.strictEqual((yield* payouts.pay(payment("taking", from, taking))).state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process({
        policy: {
          maxPerTransaction: Backend.klay,
          maxFeePerTransaction: Backend.klay,
          window: { max: Backend.klay, maxFees: Backend.klay, duration: "1 day" }
        }
      })))
    })))

  it.scopedLive("waits while the node has trouble with its estimate, and is paid after that", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      const troubles = ["missing trie node 0x12", "execution aborted (timeout = 5s)"]
      const client = answering("klay_estimateGas", troubles.map((message) => ({ error: { code: -32000, message } })))
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        assert.deepInclude((yield* payouts.pay(payment("a", from, to))).state, { _tag: "Executed", attempt: 1 })
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, client)))
    })))

  it("is refused by the contract, for lack of funds, or not at all: whose words a refusal has", () => {
    const faults = (all: ReadonlyArray<string>, code = -32000) =>
      all.map((serviceMessage) => faultOf({ code, serviceMessage }))
    const ofCall = [
      "execution reverted: insufficient funds",
      "evm: execution reverted",
      "VM Exception while processing transaction: reverted with reason string 'insufficient balance'",
      "evm: invalid jump destination",
      "out of gas",
      "gas required exceeds allowance (3000000)",
      "invalid opcode: INVALID",
      "stack underflow (1 <=> 2)"
    ]
    assert.deepStrictEqual(faults(ofCall), ofCall.map(() => "call"))
    assert.deepStrictEqual(faults(["missing trie node"], 3), ["call"])
    const ofFunds = [
      "insufficient balance for transfer",
      "err: insufficient funds for gas * price + value: address 0x12",
      "insufficient funds of the sender for value "
    ]
    assert.deepStrictEqual(faults(ofFunds), ofFunds.map(() => "funds"))
    const ofNode = [
      "missing trie node 0x12",
      "execution aborted (timeout = 5s)",
      "header not found",
      "err: max fee per gas less than block base fee",
      "the method is currently not available"
    ]
    assert.deepStrictEqual(faults(ofNode), ofNode.map(() => "node"))
  })
})

describe("a call of a contract", () => {
  it.scopedLive("that a lagging node does not have yet is made", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const to = yield* contract("taking")
      const client = answering("klay_getCode", [{ result: "0x" }])
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const request = { _tag: "Execute" as const, from, to, value: 5n, input: "0x12345678" }
        const { state } = yield* payouts.pay({ key: "call", request, payer: FeeDelegation.service })
        assert.strictEqual(state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, client)))
    })))
})
