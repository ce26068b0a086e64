import * as Address from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { databases } from "../../engine/test/support/databases.js"
import * as SqlNonces from "../src/SqlNonces.js"

const address = Address.zero

const lookup = (nextNonce: TransactionLookup.Service["nextNonce"]) =>
  Layer.succeed(TransactionLookup.TransactionLookup, {
    nextNonce,
    byHash: () => Effect.succeedNone,
    byNonce: () => Effect.succeedNone,
    byNonces: () => Effect.succeed([])
  })

/** The source as one process has it. */
const source = (next: number, options: Partial<SqlNonces.Options> = {}) =>
  Effect.provide(SqlNonces.make({ chain: 1001, ...options }), lookup(() => Effect.succeed(next)))

const reserve = Effect.flatMap(NonceSource.NonceSource, (source) => source.reserve(address))

describe.each(databases)("nonces on %s", (_, database) => {
  it.scopedLive("are handed out once, to whichever process asks, and after a restart", () =>
    Effect.flatMap(database, ({ layer }) => {
      const nonces = Effect.provide(
        SqlNonces.layer({ chain: 1001 }).pipe(Layer.provide([layer, lookup(() => Effect.succeed(5))]))
      )
      const process = nonces(Effect.all(Array.from({ length: 10 }, () => reserve), { concurrency: "unbounded" }))
      return Effect.gen(function*() {
        const given = yield* Effect.all([process, process, process], { concurrency: "unbounded" })
        const sorted = given.flat().sort((left, right) => left - right)
        assert.deepStrictEqual(sorted, Array.from({ length: 30 }, (_, i) => i + 5))
        assert.strictEqual(yield* nonces(reserve), 35)
      })
    }))

  it.scopedLive("that a process left open stay open, since another process may have them", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const before = yield* source(5)
        yield* Effect.replicateEffect(before.reserve(address), 4)
        yield* before.confirm(address, 7)
        yield* before.release(address, 6)
        const after = yield* source(5)
        assert.strictEqual(yield* after.reserve(address), 6)
        assert.deepStrictEqual(yield* after.report(address), { next: 9, open: [5, 6, 8], unresolved: [], gaps: [] })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("that one process has for itself are unresolved after a restart, unless the chain took them meanwhile", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const before = yield* source(5, { isExclusive: true })
        yield* Effect.replicateEffect(before.reserve(address), 4)
        yield* before.confirm(address, 7)
        yield* before.release(address, 6)
        const after = yield* source(5, { isExclusive: true })
        assert.deepStrictEqual(yield* after.report(address), { next: 9, open: [5, 8], unresolved: [5, 8], gaps: [6] })
        const later = yield* source(6, { isExclusive: true })
        assert.deepStrictEqual(yield* Effect.replicateEffect(later.reserve(address), 2), [6, 9])
        assert.deepStrictEqual(yield* later.report(address), { next: 10, open: [6, 8, 9], unresolved: [8], gaps: [] })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("of different chains are different", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const chains: ReadonlyArray<Chain> = [1001, 8217]
        for (const chain of chains) {
          const nonces = yield* source(5, { chain })
          assert.strictEqual(yield* nonces.reserve(address), 5)
        }
      }).pipe(Effect.provide(layer))))

  it.scopedLive("wait for the nonce 0 of another process", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const one = yield* source(0)
        const other = yield* source(0)
        assert.strictEqual(yield* one.reserve(address), 0)
        const waiting = yield* Effect.fork(other.reserve(address))
        yield* Effect.sleep("100 millis")
        assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
        yield* one.confirm(address, 0)
        assert.strictEqual(yield* Fiber.join(waiting), 1)
        assert.deepStrictEqual(yield* other.report(address), { next: 2, open: [1], unresolved: [], gaps: [] })
      }).pipe(Effect.provide(layer))))

  it.scopedLive("whose row is removed or damaged are said to be, and nothing is handed out", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* source(5)
        yield* nonces.reserve(address)
        yield* sql`DELETE FROM klaytn_values`
        assert.include((yield* Effect.flip(nonces.reserve(address))).message, "gone from the store")
        assert.strictEqual(yield* nonces.reserve(address), 5)
        yield* sql`UPDATE klaytn_values SET value = '{"half'`
        for (const use of [nonces.reserve(address), nonces.confirm(address, 5), nonces.report(address)]) {
          const end = yield* Effect.flip<unknown, { readonly _tag: string }, never>(use)
          assert.strictEqual(end._tag, "StoreFailed")
        }
        assert.deepStrictEqual((yield* sql`SELECT value FROM klaytn_values`)[0], { value: "{\"half" })
        yield* sql`DROP TABLE klaytn_values`
        assert.include((yield* Effect.flip(nonces.confirm(address, 5))).message, "klaytn_values")
      }).pipe(Effect.provide(layer))))

  it.scopedLive("need the chain for an account that is new", () =>
    Effect.flatMap(database, ({ layer }) =>
      Effect.gen(function*() {
        const failed = new SendOutcome.LookupFailed({ problem: "no node" })
        const nonces = yield* Effect.provide(SqlNonces.make({ chain: 1001 }), lookup(() => failed))
        assert.strictEqual((yield* Effect.flip(nonces.reserve(address)))._tag, "LookupFailed")
      }).pipe(Effect.provide(layer))))
})
