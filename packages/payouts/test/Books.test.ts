import * as Address from "@effect-klaytn/core/Address"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as books from "../src/internal/books.js"

describe("a nonce far above the next one that a node counts", () => {
  /** Whether it is taken for out of reach, by the highest nonce with which a payout of the account was in a block. */
  const isUnreachable = (mined: Option.Option<number>) =>
    Effect.gen(function*() {
      const lookup: TransactionLookup.Service = {
        nextNonce: () => Effect.succeed(100),
        byHash: () => Effect.succeedNone,
        byNonce: () => Effect.succeedNone,
        byNonces: () => Effect.succeed([])
      }
      const store = { book: () => Effect.succeedNone, mined: () => Effect.succeed(mined) }
      const context = { lookup, preparing: yield* Effect.makeSemaphore(1), store }
      const asked = yield* Effect.fork(books.isUnreachable(context, 1001, Address.zero, 100, 1102))
      yield* TestClock.adjust("1 minute")
      return yield* Fiber.join(asked)
    })

  it.effect("is out of reach if the node says so again and again, and nothing speaks against it", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* isUnreachable(Option.none()))
      assert.isTrue(yield* isUnreachable(Option.some(99)))
    }))

  it.effect("is not if a payout was in a block with the counted nonce or a higher one: the node synchronises anew", () =>
    Effect.gen(function*() {
      for (const mined of [100, 1101]) assert.isFalse(yield* isUnreachable(Option.some(mined)))
    }))
})
