import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as contents from "../src/internal/contents.js"
import * as Payouts from "../src/Payouts.js"
import { account, onSandbox, process, receiver } from "./support/backend.js"

/** What becomes of a key while others are stored. */
const answer = (key: string, ...stored: ReadonlyArray<string>) =>
  contents.distinct((one) => Effect.succeed(stored.includes(one) ? Option.some(one) : Option.none()), key).pipe(
    Effect.either,
    Effect.map(Either.match({ onLeft: ({ _tag, message }) => `${_tag}: ${message}`, onRight: () => "taken" }))
  )

const [composed, decomposed] = ["송장-4711".normalize("NFC"), "송장-4711".normalize("NFD")]

describe("a key of a payment", () => {
  it.effect("that looks like a stored one is a conflict that names the other", () =>
    Effect.gen(function*() {
      assert.match(yield* answer(decomposed, composed), new RegExp(`^KeyConflict: .*key is "${composed}"`))
      assert.match(yield* answer(composed, decomposed), /^KeyConflict/)
      for (const key of ["order-1 ", " order-1", "order-1\u3000", "\u00a0order-1"]) {
        assert.match(yield* answer(key, "order-1"), /^KeyConflict: .*key is "order-1", not "/)
      }
    }))

  it.effect("that is new has one form", () =>
    Effect.gen(function*() {
      assert.match(yield* answer(decomposed), new RegExp(`^InvalidInput: .*write the key as "${composed}"`))
      assert.match(yield* answer("order-1 "), /^InvalidInput: .*write the key as "order-1"/)
      for (const key of ["order-1", "order 1", composed, "Order-1"]) {
        assert.strictEqual(yield* answer(key, "order-2"), "taken")
      }
    }))

  it.effect("that is stored stays what it is", () =>
    Effect.gen(function*() {
      for (const key of ["order-1 ", decomposed]) assert.strictEqual(yield* answer(key, key, "order-1"), "taken")
    }))

  it.scopedLive("is compared so wherever a payment is asked for", () =>
    Effect.gen(function*() {
      const from = yield* account()
      const payouts = yield* Payouts.Payouts
      const input = (key: string) => ({ key, from, to: receiver, value: 1n, payer: FeeDelegation.service })
      yield* payouts.submit(input(composed))
      const tags = yield* Effect.all([
        Effect.flip(payouts.submit(input(decomposed))),
        Effect.flip(payouts.pay(input(`${composed} `))),
        Effect.flip(payouts.check(input(decomposed)))
      ])
      assert.deepStrictEqual(tags.map(({ _tag }) => _tag), ["KeyConflict", "KeyConflict", "KeyConflict"])
    }).pipe(Effect.provide(process()), onSandbox))
})
