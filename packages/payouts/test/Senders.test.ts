import * as Krn from "@effect-klaytn/core/Krn"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Pool from "@effect-klaytn/wallet/Pool"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Batch from "../src/Batch.js"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const nobody = "0xf1653a0e6bdd0a0b9c9d3e1d7a4d4a1f6b8a60b6"

/** A client that notes each account that the wallet is asked for. */
const noting = (asked: Array<string>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.map(FetchHttpClient.layer, (context) =>
    Context.add(
      context,
      HttpClient.HttpClient,
      HttpClient.mapRequest(Context.get(context, HttpClient.HttpClient), (request) => {
        const [, address] = /\/v2\/account\/(0x[0-9a-f]{40})$/i.exec(request.url) ?? []
        if (request.method === "GET" && address !== undefined) asked.push(address.toLowerCase())
        return request
      })
    ))

describe("a payment of an account that the wallet does not have", () => {
  it.scopedLive("is refused by a check, which stores nothing, and its key stays free", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        const request = { _tag: "Value" as const, from: nobody, to: from, value: 5n }
        const inputs: ReadonlyArray<readonly [Payouts.PayInput, string]> = [
          [Backend.order("a", nobody), "from"],
          [{ key: "a", request, payer: FeeDelegation.service }, "request.from"]
        ]
        for (const [input, path] of inputs) {
          const error = yield* Effect.flip(payouts.check(input))
          assert.deepInclude(error, { _tag: "InvalidInput", path: path.split(".") })
          assert.match(error.message, /0xf1653a0e\S+ is no account of this wallet \(its default pool\)/i)
        }
        assert.deepStrictEqual((yield* payouts.list()).items, [])
        assert.strictEqual((yield* payouts.pay(Backend.order("a", from))).state._tag, "Executed")
      }).pipe(Effect.provide(Backend.process()))
    })))

  it.scopedLive("is a problem of each line of a batch, and the wallet is asked once for an account", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const asked: Array<string> = []
      yield* Effect.gen(function*() {
        const lines = Array.from({ length: 12 }, (_, i) => Backend.order(`k${i}`, i % 3 === 0 ? nobody : from))
        const { counts, problems } = yield* Batch.check(Batch.fromInputs(Stream.fromIterable(lines)))
        assert.deepStrictEqual(problems.map(({ line }) => line), [1, 4, 7, 10])
        for (const { problem } of problems) assert.include(problem, "is no account of this wallet")
        assert.strictEqual(counts.new, 8)
        assert.sameMembers(asked, [nobody, from])
      }).pipe(Effect.provide(Backend.process({}, ":memory:", 1001, noting(asked))))
    })))

  it.scopedLive("is refused for the pool in which the wallet does not have it, and passes for its own", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account()
        const { accountId } = yield* Sandbox.Sandbox
        const krn = `krn:1001:wallet:${accountId}:account-pool`
        const [own, other] = yield* Effect.orDie(Effect.all([Krn.make(`${krn}:default`), Krn.make(`${krn}:shop`)]))
        yield* Effect.gen(function*() {
          const { check } = yield* Payouts.Payouts
          const input = Backend.order("a", from)
          yield* check(input)
          yield* check(input).pipe(Pool.withPool(own))
          const error = yield* Effect.flip(Pool.withPool(check(input), other))
          assert.include(error.message, `is no account of this wallet (${krn}:shop)`)
        }).pipe(Effect.provide(Backend.process()))
      }),
      { pools: ["shop"] }
    ))
})

describe("a wallet that does not tell whether it has an account", () => {
  it.scopedLive("lets a check pass", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const { control } = yield* Sandbox.Sandbox
      yield* control.addFault({ operation: "wallet.getAccount", times: 100, action: { kind: "drop", when: "before" } })
      yield* Effect.gen(function*() {
        const payouts = yield* Payouts.Payouts
        for (const account of [from, nobody]) {
          assert.isTrue(Option.isNone((yield* payouts.check(Backend.order("a", account))).stored))
        }
      }).pipe(Effect.provide(Backend.process()))
    })))
})
