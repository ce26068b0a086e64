import * as Address from "@effect-klaytn/core/Address"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as PlatformError from "@effect/platform/Error"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as MigrationJournal from "../../src/MigrationJournal.js"
import { equal } from "../support/assertions.js"
import * as Records from "../support/records.js"

const key = Records.key(3)
const address = Either.getOrThrow(Address.make(Records.alice))

const entry = new MigrationJournal.Entry({
  version: 1,
  chain: 1001,
  host: "wallet.example",
  address,
  keyId: Either.getOrThrow(KeyId.make(key.keyId)),
  publicKey: Either.getOrThrow(HexEncoding.makeData(key.publicKey)),
  stage: "key"
})

/** A store that keeps texts in a map, or can't be used. */
const storeOf = (texts: Map<string, string>, broken?: "reading" | "writing") => {
  const failed = (method: string) =>
    Effect.fail(
      new PlatformError.SystemError({
        reason: "PermissionDenied",
        module: "KeyValueStore",
        method,
        pathOrDescriptor: "/k"
      })
    )
  return KeyValueStore.makeStringOnly({
    get: (name) => broken === "reading" ? failed("get") : Effect.sync(() => Option.fromNullable(texts.get(name))),
    set: (name, value) => broken === "writing" ? failed("set") : Effect.sync(() => void texts.set(name, value)),
    remove: (name) => Effect.sync(() => void texts.delete(name)),
    clear: Effect.sync(() => texts.clear()),
    size: Effect.sync(() => texts.size)
  })
}

const journalOf = (store: KeyValueStore.KeyValueStore) =>
  MigrationJournal.MigrationJournal.pipe(
    Effect.provide(MigrationJournal.layerKeyValueStore),
    Effect.provideService(KeyValueStore.KeyValueStore, store)
  )

describe("a journal in a key-value store", () => {
  it.effect("gives back what was written, also to a program that starts anew", () =>
    Effect.gen(function*() {
      const texts = new Map<string, string>()
      const first = yield* journalOf(storeOf(texts))
      equal(yield* first.get(entry), Option.none())
      yield* first.put(entry)
      const second = yield* journalOf(storeOf(new Map(texts)))
      equal(yield* second.get(entry), Option.some(entry))
      assert.instanceOf(Option.getOrThrow(yield* second.get(entry)), MigrationJournal.Entry)
    }))

  it.effect("keeps accounts, chains and hosts apart, and the last of what was written for one", () =>
    Effect.gen(function*() {
      const journal = yield* journalOf(storeOf(new Map()))
      const bob = Either.getOrThrow(Address.make(Records.bob))
      const done = new MigrationJournal.Entry({ ...entry, stage: "registered" })
      yield* journal.put(entry)
      yield* journal.put(done)
      for (const place of [{ ...entry, address: bob }, { ...entry, chain: 8217 as const }, { ...entry, host: "b" }]) {
        equal(yield* journal.get(place), Option.none())
      }
      equal(yield* journal.get({ chain: 1001, host: "wallet.example", address }), Option.some(done))
    }))

  it.effect("writes texts that say what they are, without a private key in them", () =>
    Effect.gen(function*() {
      const texts = new Map<string, string>()
      yield* (yield* journalOf(storeOf(texts))).put(entry)
      const [[name, text] = ["", "{}"]] = texts
      assert.strictEqual(name, `migration 1001 wallet.example ${Records.alice}`)
      assert.deepStrictEqual(JSON.parse(text), {
        version: 1,
        chain: 1001,
        host: "wallet.example",
        address: Records.alice,
        keyId: key.keyId,
        publicKey: key.publicKey,
        stage: "key"
      })
    }))

  const bad: ReadonlyArray<readonly [name: string, change: (text: string) => string]> = [
    ["no JSON", () => "{"],
    ["half of an entry", (text) => text.slice(0, text.length / 2)],
    ["an entry of another version", (text) => text.replace("\"version\":1", "\"version\":2")],
    ["an entry of an unknown stage", (text) => text.replace("\"key\"}", "\"half\"}")],
    ["something else", () => "[]"]
  ]
  for (const [name, change] of bad) {
    it.effect(`fails, and does not pass for empty, where the store holds ${name}`, () =>
      Effect.gen(function*() {
        const texts = new Map<string, string>()
        const journal = yield* journalOf(storeOf(texts))
        yield* journal.put(entry)
        for (const [place, text] of texts) {
          assert.notStrictEqual(change(text), text)
          texts.set(place, change(text))
        }
        const failed = yield* Effect.flip(journal.get(entry))
        assert.strictEqual(failed._tag, "JournalFailed")
        assert.strictEqual(failed.message, "the journal of the migration: reading an entry failed")
      }))
  }

  it.effect("fails where the store can't be read or written", () =>
    Effect.gen(function*() {
      const unreadable = yield* journalOf(storeOf(new Map(), "reading"))
      assert.include((yield* Effect.flip(unreadable.get(entry))).message, "reading an entry failed")
      const texts = new Map<string, string>()
      const full = yield* journalOf(storeOf(texts, "writing"))
      assert.include((yield* Effect.flip(full.put(entry))).message, "writing an entry failed")
      assert.strictEqual(texts.size, 0)
      equal(yield* full.get(entry), Option.none())
    }))

  it.effect("in memory lasts as long as its layer, and begins empty", () =>
    Effect.gen(function*() {
      const once = Effect.gen(function*() {
        const journal = yield* MigrationJournal.MigrationJournal
        const before = yield* journal.get(entry)
        yield* journal.put(entry)
        return [before, yield* journal.get(entry)]
      }).pipe(Effect.provide(Layer.fresh(MigrationJournal.layerMemory)))
      equal(yield* once, [Option.none(), Option.some(entry)])
      equal(yield* once, [Option.none(), Option.some(entry)])
    }))
})
