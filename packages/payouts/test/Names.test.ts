import type * as Address from "@effect-klaytn/core/Address"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Payouts from "../src/Payouts.js"
import * as Backend from "./support/backend.js"

const { mine, order, until } = Backend

/** What happens to the requests with a name: they don't arrive, their answers don't, or both do. */
type Way = "before" | "after" | "whole"

/** A service that answers a name with what it made for it first, and the names that it was asked for, with what became of each. */
const named = () => {
  const answers = new Map<string, string>()
  const asked: Array<string> = []
  const gateway = { way: "whole" as Way, asked }
  const reach: typeof fetch = async (url, init) => {
    const name = new Headers(init?.headers).get("idempotency-key")
    if (name === null || !String(url).includes("/v2/tx")) return fetch(url, init)
    asked.push(name)
    if (gateway.way === "before") throw new TypeError("fetch failed")
    const known = answers.get(name) ?? await (async () => {
      const answer = await fetch(url, init)
      const text = await answer.text()
      if (answer.ok) answers.set(name, text)
      return text
    })()
    if (gateway.way === "after") throw new TypeError("fetch failed")
    return new Response(known, { headers: { "content-type": "application/json" } })
  }
  const client = Layer.provideMerge(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, reach))
  return { gateway, process: Backend.process({ stuckAfter: "3 seconds" }, ":memory:", 1001, client) }
}

const stateOf = (key: string) =>
  Effect.flatMap(Payouts.Payouts, (all) => Effect.map(all.get(key), ({ state }) => state))

/** Another program takes a nonce of the account. */
const take = (from: Address.Address, nonce: number) =>
  Effect.flatMap(
    Backend.stranger,
    (wallet) => wallet.sendValue({ from, to: Backend.aside, value: 1n, nonce, payer: FeeDelegation.service })
  )

/** The nonce of a payout that has one. */
const nonceOf = (key: string) =>
  Effect.map(
    until(stateOf(key), (state) => "nonce" in state),
    (state) => "nonce" in state ? state.nonce : 0
  )

describe("a payment that the service knows by its name", () => {
  it.scopedLive("is made once for two databases, though the nonce of a request that did not arrive is taken", () =>
    Backend.onSandbox(Effect.gen(function*() {
      const from = yield* Backend.account()
      const { gateway, process } = named()
      const first = yield* Effect.flatMap(Payouts.Payouts, (all) => all.pay(order("a", from))).pipe(
        Effect.provide(process),
        Effect.scoped
      )
      yield* Effect.gen(function*() {
        const all = yield* Payouts.Payouts
        gateway.way = "before"
        yield* all.submit(order("a", from))
        yield* until(Effect.sync(() => gateway.asked.length), (asked) => asked > 1)
        yield* take(from, yield* nonceOf("a"))
        yield* until(stateOf("a"), (state) => "attempt" in state && state.attempt === 2)
        gateway.way = "whole"
        const second = yield* all.wait("a")
        assert.deepStrictEqual(
          "transactionHash" in second.state && second.state.transactionHash,
          "transactionHash" in first.state && first.state.transactionHash
        )
        assert.strictEqual((yield* Backend.payments).length, 1)
        assert.strictEqual(new Set(gateway.asked).size, 1)
      }).pipe(Effect.provide(process), Effect.scoped)
    })))

  it.scopedLive("gets the next name once a block rules out the transaction that was made under the name before", () =>
    Backend.onSandbox(
      Effect.gen(function*() {
        const from = yield* Backend.account()
        yield* mine
        const { gateway, process } = named()
        yield* Effect.gen(function*() {
          const all = yield* Payouts.Payouts
          gateway.way = "after"
          yield* all.submit(order("a", from))
          yield* until(stateOf("a"), ({ _tag }) => _tag === "Unknown" || _tag === "Sent")
          const nonce = yield* nonceOf("a")
          const { chains } = yield* Sandbox.Sandbox
          gateway.way = "before"
          // The node loses what it has accepted.
          yield* chains.chain(1001).emptyPool
          yield* take(from, nonce)
          yield* mine
          yield* until(stateOf("a"), (state) => "attempt" in state && state.attempt === 2)
          gateway.way = "whole"
          yield* until(Effect.zipRight(mine, stateOf("a")), ({ _tag }) => _tag === "Executed")
          assert.strictEqual((yield* Backend.payments).length, 1)
          assert.strictEqual(new Set(gateway.asked).size, 2)
        }).pipe(Effect.provide(process))
      }),
      { mining: "manual" }
    ))
})
