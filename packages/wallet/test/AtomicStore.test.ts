import * as Addresses from "@effect-klaytn/core/Address"
import * as PlatformError from "@effect/platform/Error"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as AtomicStore from "../src/AtomicStore.js"
import * as NonceSource from "../src/NonceSource.js"
import * as SendOutcome from "../src/SendOutcome.js"
import * as TransactionLookup from "../src/TransactionLookup.js"
import { alice } from "./support/records.js"

const Count = Schema.parseJson(Schema.Int)

const increment = (store: AtomicStore.Service, key: string) =>
  store.modify(key, Count, (count) => {
    const next = Option.getOrElse(count, () => 0) + 1
    return [next, Option.some(next)]
  })

/** A store whose answers take a while, as those of a file do. */
const slow = (values: Map<string, string>) =>
  KeyValueStore.makeStringOnly({
    get: (key) => Effect.zipRight(Effect.yieldNow(), Effect.sync(() => Option.fromNullable(values.get(key)))),
    set: (key, value) => Effect.zipRight(Effect.yieldNow(), Effect.sync(() => values.set(key, value))),
    remove: (key) => Effect.sync(() => values.delete(key)),
    clear: Effect.sync(() => values.clear()),
    size: Effect.sync(() => values.size)
  })

const broken = (values: Map<string, string>, doing: "get" | "set") => ({
  ...slow(values),
  [doing]: () =>
    new PlatformError.SystemError({ reason: "Unknown", module: "KeyValueStore", method: doing, description: "broken" })
})

const address = Either.getOrThrow(Addresses.make(alice))

const source = (store: AtomicStore.Service, next: () => number = () => 5) =>
  Effect.provideService(
    NonceSource.make({ chain: 1001, nextNonce: () => Effect.sync(next) }),
    AtomicStore.AtomicStore,
    store
  )

const failed = () => new SendOutcome.LookupFailed({ problem: "no node" })

const noLookup = Layer.succeed(TransactionLookup.TransactionLookup, {
  nextNonce: failed,
  byHash: failed,
  byNonce: failed,
  byNonces: failed
})

describe("a store", () => {
  it.effect("changes a value one party at a time, in memory and in a key-value store", () =>
    Effect.gen(function*() {
      for (const make of [AtomicStore.memory, AtomicStore.fromKeyValueStore(slow(new Map()))]) {
        const store = yield* make
        const all = yield* Effect.replicateEffect(increment(store, "a"), 20).pipe(
          Effect.withConcurrency("unbounded")
        )
        assert.deepStrictEqual([...all].sort((a, b) => a - b), Array.from({ length: 20 }, (_, index) => index + 1))
        assert.deepStrictEqual(yield* store.get("a", Count), Option.some(20))
        assert.deepStrictEqual(yield* store.get("b", Count), Option.none())
        assert.strictEqual(yield* store.modify("a", Count, () => ["seen", Option.none()]), "seen")
        assert.deepStrictEqual(yield* store.get("a", Count), Option.some(20))
      }
    }))

  it.effect("that holds what can't be read fails, and leaves it as it is", () =>
    Effect.gen(function*() {
      const values = new Map([["a", "{\"half"]])
      const store = yield* AtomicStore.fromKeyValueStore(slow(values))
      for (const use of [store.get("a", Count), increment(store, "a")]) {
        assert.strictEqual((yield* Effect.flip<unknown, AtomicStore.StoreFailed, never>(use)).key, "a")
      }
      assert.strictEqual(values.get("a"), "{\"half")
      const wrong = store.modify("b", Count, () => [undefined, Option.some(1.5)])
      assert.include((yield* Effect.flip(wrong)).message, "does not fit its schema")
      assert.isFalse(values.has("b"))
    }))

  it.effect("that can't be read or written says which", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const unread = yield* AtomicStore.fromKeyValueStore(broken(values, "get"))
      assert.strictEqual((yield* Effect.flip(increment(unread, "a"))).problem, "reading failed")
      const unwritten = yield* AtomicStore.fromKeyValueStore(broken(values, "set"))
      assert.strictEqual((yield* Effect.flip(increment(unwritten, "a"))).problem, "writing failed")
    }))
})

describe("a source of nonces in a store", () => {
  it.effect("goes on after a restart where it stopped, and what was open is unresolved", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const before = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)))
      assert.deepStrictEqual(yield* Effect.replicateEffect(before.reserve(address), 4), [5, 6, 7, 8])
      yield* before.confirm(address, 7)
      yield* before.release(address, 6)
      const after = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)))
      const left = { next: 9, open: [5, 8], unresolved: [5, 8], gaps: [6] }
      assert.deepStrictEqual(yield* after.report(address), left)
      assert.deepStrictEqual(yield* Effect.replicateEffect(after.reserve(address), 2), [6, 9])
      assert.deepStrictEqual(yield* after.report(address), {
        next: 10,
        open: [5, 6, 8, 9],
        unresolved: [5, 8],
        gaps: []
      })
    }))

  it.effect("learns after a restart what the chain has taken meanwhile", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const before = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)))
      yield* Effect.replicateEffect(before.reserve(address), 3)
      const after = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)), () => 7)
      assert.strictEqual(yield* after.reserve(address), 8)
      assert.deepStrictEqual(yield* after.report(address), { next: 9, open: [7, 8], unresolved: [7], gaps: [] })
    }))

  it.effect("keeps the accounts of different chains apart", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const store = yield* AtomicStore.fromKeyValueStore(slow(values))
      for (const chain of [1001, 8217] as const) {
        const nonces = yield* Effect.provideService(
          NonceSource.make({ chain, nextNonce: () => Effect.succeed(5) }),
          AtomicStore.AtomicStore,
          store
        )
        assert.strictEqual(yield* nonces.reserve(address), 5)
      }
      assert.deepStrictEqual([...values.keys()], [`nonces 1001 ${alice}`, `nonces 8217 ${alice}`])
    }))

  it.effect("that others share leaves open what others may have, and waits for their nonce 0", () =>
    Effect.gen(function*() {
      const shared = { ...(yield* AtomicStore.memory), isShared: true }
      const one = yield* source(shared, () => 0)
      const other = yield* source(shared, () => 0)
      assert.strictEqual(yield* one.reserve(address), 0)
      const waiting = yield* Effect.fork(other.reserve(address))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* one.confirm(address, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(waiting), 1)
      assert.deepStrictEqual(yield* other.report(address), { next: 2, open: [1], unresolved: [], gaps: [] })
    }))

  it.effect("whose book is removed says so once, and starts again from the chain", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const nonces = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)))
      yield* nonces.reserve(address)
      values.clear()
      assert.include((yield* Effect.flip(nonces.reserve(address))).message, "gone from the store")
      assert.strictEqual(yield* nonces.reserve(address), 5)
    }))

  it.effect("that fails before a send leaves the send undone, and after it changes nothing of its outcome", () =>
    Effect.gen(function*() {
      const values = new Map<string, string>()
      const warnings: Array<unknown> = []
      const nonces = yield* source(yield* AtomicStore.fromKeyValueStore(slow(values)))
      const use = (source: NonceSource.Service, send: Effect.Effect<never, SendOutcome.NotSent>) =>
        NonceSource.withNonce(alice, () => send).pipe(
          Effect.provideService(NonceSource.NonceSource, source),
          Effect.flip,
          Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => warnings.push(message))))
        )
      const unused = yield* source(yield* AtomicStore.fromKeyValueStore(broken(values, "set")))
      assert.strictEqual((yield* use(unused, Effect.dieMessage("it was not to be sent")))._tag, "StoreFailed")
      const reason = new SendOutcome.PlanChanged({ problem: "test" })
      const failing: NonceSource.Service = {
        ...nonces,
        release: () => new AtomicStore.StoreFailed({ key: "a", problem: "test" })
      }
      const end = yield* use(failing, Effect.fail(new SendOutcome.NotSent({ reason, proof: "unsent" })))
      assert.strictEqual(end._tag, "NotSent")
      assert.include(String(warnings), `nonce 5 of ${alice} could not be settled and stays open`)
      assert.deepStrictEqual((yield* nonces.report(address)).open, [5])
    }))

  it.effect("is a layer over the look-ups and the store", () =>
    Effect.gen(function*() {
      const nonces = yield* NonceSource.NonceSource
      assert.strictEqual((yield* Effect.flip(nonces.reserve(address)))._tag, "LookupFailed")
    }).pipe(Effect.provide(
      NonceSource.layerStored({ chain: 1001 }).pipe(
        Layer.provide(AtomicStore.layerKeyValueStore),
        Layer.provide(KeyValueStore.layerMemory),
        Layer.provide(noLookup)
      )
    )))
})
