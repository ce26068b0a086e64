import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as NonceSource from "../../src/NonceSource.js"
import * as TransactionLookup from "../../src/TransactionLookup.js"
import * as Transactions from "../../src/Transactions.js"
import { has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice } = Records
const address = Either.getOrThrow(Address.make(alice))
const otherHash = `0x${"ab".repeat(32)}`

const cancelled: Testing.Step = (sent) => {
  const { nonce } = JSON.parse(sent.body ?? "{}")
  const { from, gas, gasPrice, rlp: _, ...rest } = Records.result
  return Testing.json(200, {
    from,
    gas,
    gasPrice,
    transactionHash: rest.transactionHash,
    status: "Submitted",
    nonce,
    typeInt: 56
  })(sent)
}

const fill = (nonces: NonceSource.Service, transactions: Transactions.Service) =>
  NonceSource.fillGaps(alice, FeeDelegation.sender).pipe(
    Effect.provideService(NonceSource.NonceSource, nonces),
    Effect.provideService(Transactions.Transactions, transactions)
  )

/** A source that has confirmed nonce 8 and nothing below it from 5 on. */
const withGaps = Effect.gen(function*() {
  const nonces = yield* NonceSource.make(() => Effect.succeed(5))
  yield* nonces.reserve(address)
  yield* nonces.confirm(address, 8)
  yield* nonces.release(address, 5)
  return nonces
})

describe("the gaps of an account", () => {
  it.effect("are filled by cancellations of their nonces, lowest first, and then there are none", () =>
    Effect.gen(function*() {
      const nonces = yield* withGaps
      assert.deepStrictEqual((yield* nonces.report(address)).gaps, [5, 6, 7])
      const wire = Testing.wire(cancelled)
      const filled = yield* fill(nonces, yield* Service.transactions(wire))
      assert.deepStrictEqual(filled.map(({ nonce, outcome }) => [nonce, outcome._tag]), [
        [5, "Sent"],
        [6, "Sent"],
        [7, "Sent"]
      ])
      assert.deepStrictEqual(wire.sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`), [
        "DELETE /wallet/v2/tx",
        "DELETE /wallet/v2/tx",
        "DELETE /wallet/v2/tx"
      ])
      assert.deepStrictEqual(yield* nonces.report(address), { next: 9, open: [], unresolved: [], gaps: [] })
      assert.deepStrictEqual(yield* fill(nonces, yield* Service.transactions(Testing.wire())), [])
    }))

  it.effect("stay if a cancellation is not sent, are unresolved if nobody knows, and are left to whoever took them", () =>
    Effect.gen(function*() {
      const nonces = yield* withGaps
      const wire = Testing.wire((sent) =>
        (JSON.parse(sent.body ?? "{}").nonce === 5
          ? Service.refusal(1065100, "failed to get an account")
          : Testing.text(502, ""))(sent)
      )
      const busy: NonceSource.Service = {
        ...nonces,
        reserveGap: (address, nonce) => nonce === 7 ? Effect.succeed(false) : nonces.reserveGap(address, nonce)
      }
      const filled = yield* fill(busy, yield* Service.transactions(wire, Service.noRetries))
      assert.deepStrictEqual(filled.map(({ nonce, outcome }) => [nonce, outcome._tag]), [
        [5, "NotSent"],
        [6, "SendUnknown"]
      ])
      assert.deepStrictEqual(yield* nonces.report(address), { next: 9, open: [6], unresolved: [6], gaps: [5, 7] })
    }))

  it.effect("are reserved one by one, by their own nonce only", () =>
    Effect.gen(function*() {
      const nonces = yield* withGaps
      assert.deepStrictEqual(
        yield* Effect.forEach([6, 6, 8, 12], (nonce) => nonces.reserveGap(address, nonce)),
        [true, false, false, false]
      )
      assert.strictEqual(yield* nonces.reserve(address), 5)
    }))
})

describe("a transaction that was accepted", () => {
  const sent = { transactionHash: Either.getOrThrow(Hash.make(Records.hash)), from: address, nonce: 7 }

  const confirm = (chain: Chain.Chain, wire = Chain.make(chain)) =>
    Effect.gen(function*() {
      const lookup = yield* Service.lookup(wire, { ...Service.withNode, ...Service.noRetries })
      return yield* TransactionLookup.confirm(sent, { within: "1 minute" }).pipe(
        Effect.provideService(TransactionLookup.TransactionLookup, lookup)
      )
    })

  const blocks = (next: number): Array<ReadonlyArray<Chain.Mined>> =>
    Array.from({ length: next }, (_, nonce) => [Chain.payment(nonce, { hash: otherHash })])

  it.effect("is waited for until it is in a block", () =>
    Effect.gen(function*() {
      const chain: Chain.Chain = { blocks: blocks(7) }
      const waiting = yield* Effect.fork(confirm(chain))
      yield* TestClock.adjust("30 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      chain.blocks.push([Chain.payment(7)])
      yield* TestClock.adjust("1 second")
      has(yield* Fiber.join(waiting), { _tag: "Executed" })
    }))

  it.effect("is superseded when another transaction took its nonce", () =>
    Effect.gen(function*() {
      has(yield* confirm({ blocks: blocks(8) }), { _tag: "Superseded" })
    }))

  it.effect("is told to be stuck once it takes longer than expected, with the nonce that it waits for", () =>
    Effect.gen(function*() {
      for (const next of [7, 5]) {
        const waiting = yield* Effect.fork(confirm({ blocks: blocks(next) }))
        yield* TestClock.adjust("59 seconds")
        assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(
          yield* Fiber.join(waiting),
          TransactionLookup.Confirmation.Stuck({ nonce: 7, nextNonce: next, waited: 60_000, transaction: undefined })
        )
      }
    }))

  it.effect("of which nothing can be learnt is not told to be stuck", () =>
    Effect.gen(function*() {
      const waiting = yield* Effect.fork(Effect.flip(confirm({ blocks: [] }, Testing.wire(Testing.text(404, "")))))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "LookupFailed")
    }))
})
