import * as Address from "@effect-klaytn/core/Address"
import * as Database from "@effect-klaytn/engine/Database"
import * as AtomicStore from "@effect-klaytn/wallet/AtomicStore"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlStore from "../src/SqlStore.js"
import { temporaryFile } from "./support/backend.js"

const on = (file: string) => SqlStore.layer().pipe(Layer.provideMerge(Database.layerSqlite({ file })))

const Count = Schema.parseJson(Schema.Int)

const lookup = Layer.succeed(TransactionLookup.TransactionLookup, {
  nextNonce: () => Effect.succeed(5),
  byHash: () => Effect.succeedNone,
  byNonce: () => Effect.succeedNone,
  byNonces: () => Effect.succeed([])
})

const reserve = Effect.flatMap(NonceSource.NonceSource, (source) => source.reserve(Address.zero))

describe("the store of a database", () => {
  it.scopedLive("hands each nonce out once, to whichever process asks, and after a restart", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      const nonces = Effect.provide(NonceSource.layerStored({ chain: 1001 }).pipe(Layer.provide([on(file), lookup])))
      const process = nonces(Effect.all(Array.from({ length: 10 }, () => reserve), { concurrency: "unbounded" }))
      const given = yield* Effect.all([process, process, process], { concurrency: "unbounded" })
      const sorted = given.flat().sort((left, right) => left - right)
      assert.deepStrictEqual(sorted, Array.from({ length: 30 }, (_, i) => i + 5))
      assert.strictEqual(yield* nonces(reserve), 35)
    }))

  it.scopedLive("changes a value one party at a time, and keeps it as it was if the change fails", () =>
    Effect.gen(function*() {
      const file = yield* temporaryFile
      yield* Effect.gen(function*() {
        const store = yield* AtomicStore.AtomicStore
        assert.isTrue(store.isShared)
        const add = store.modify("count", Count, (count) => {
          const next = Option.getOrElse(count, () => 0) + 1
          return [next, Option.some(next)]
        })
        yield* Effect.all(Array.from({ length: 20 }, () => add), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* store.get("count", Count), Option.some(20))
        const bad = yield* Effect.flip(store.modify("count", Count, () => [undefined, Option.some(0.5)]))
        assert.strictEqual(bad._tag, "StoreFailed")
        assert.deepStrictEqual(yield* store.get("count", Count), Option.some(20))
        assert.deepStrictEqual(yield* store.get("other", Count), Option.none())
      }).pipe(Effect.provide(on(file)))
    }))
})
