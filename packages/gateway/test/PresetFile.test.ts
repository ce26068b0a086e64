import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PresetFile from "../src/PresetFile.js"
import * as world from "./support/world.js"

const alice = `0x${"a1".repeat(20)}`
const bob = `0x${"b0".repeat(20)}`

describe("the presets of a gateway", () => {
  it.scopedLive("are found by searches as soon as they are added, until they are removed", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      yield* sandbox.chains.chain(world.chain).fund(`0x${"a1".repeat(20)}`, 5n)
      const database = yield* world.file("index.db")
      const gateway = yield* world.open(`${sandbox.url}/rpc/${world.chain}`, { database, chain: world.chain })
      yield* world.ready(gateway)
      // Another process has the same file open.
      const presets = yield* PresetFile.open(PresetFile.beside(database))
      const { id } = yield* presets.add({ name: "shops", accounts: [alice.toUpperCase().replace("0X", "0x")] })
      const search = world.send(`${gateway.url}/v2/transfer?presets=${id}`)
      const found = yield* search
      assert.strictEqual(found.status, 200, found.text)
      assert.include(found.text, "a1a1")
      assert.deepStrictEqual((yield* gateway.presets.list).map(({ name }) => name), ["shops"])
      yield* presets.remove(id)
      assert.strictEqual((yield* search).status, 404)
      assert.strictEqual((yield* Effect.flip(presets.remove(id))).reason, "Preset")
    }))

  it.scopedLive("are searched once each, and no more at a time than a search may cost", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      const gateway = yield* world.open(`${sandbox.url}/rpc/${world.chain}`)
      yield* world.ready(gateway)
      const { add } = gateway.presets
      const many = (from: number) =>
        Array.from({ length: 6_000 }, (_, i) => `0x${(from + i).toString(16).padStart(40, "0")}`)
      const [few, one, other] = [
        yield* add({ name: "few", accounts: [alice, bob] }),
        yield* add({ name: "one", accounts: many(1) }),
        yield* add({ name: "other", accounts: many(10_001) })
      ]
      const search = (...ids: ReadonlyArray<number>) =>
        Effect.map(world.send(`${gateway.url}/v2/transfer?presets=${ids}`), ({ status }) => status)
      assert.strictEqual(yield* search(...Array.from({ length: 3_000 }, () => few.id)), 200)
      assert.strictEqual(yield* search(one.id, other.id), 400)
      assert.strictEqual(yield* search(...Array.from({ length: 101 }, (_, i) => i + 1)), 400)
    }), 30_000)

  it.scopedLive("name only what the index keeps", () =>
    Effect.gen(function*() {
      const sandbox = yield* world.sandbox
      const database = yield* world.file("index.db")
      const { presets } = yield* world.open(`${sandbox.url}/rpc/${world.chain}`, {
        database,
        chain: world.chain,
        accounts: [alice]
      })
      assert.strictEqual((yield* presets.add({ name: "own", accounts: [alice] })).name, "own")
      const refused = yield* Effect.flip(presets.add({ name: "other", accounts: [bob] }))
      assert.deepStrictEqual([refused.reason, refused.message], ["Preset", `the index does not keep ${bob}`])
      for (
        const wrong of [{ name: "" }, { name: "x" }, { name: "x", accounts: ["0x1"] }, {
          name: "a b",
          accounts: [alice]
        }]
      ) {
        assert.strictEqual((yield* Effect.flip(presets.add(wrong))).reason, "Preset")
      }
    }))
})
