import * as StoredJson from "@effect-klaytn/store/StoredJson"
import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const fields = Schema.Struct({ amount: Schema.BigInt })
const Note = StoredJson.schema({ name: "a note", version: 2, fields })
const First = StoredJson.schema({ name: "a note", version: 1, fields, writesFirst: false })

const read = Schema.decodeUnknownSync(Note)

it("is written with its version, and read back; text without one has version 1", () => {
  assert.strictEqual(Schema.encodeSync(Note)({ amount: 5n }), `{"version":2,"amount":"5"}`)
  assert.deepStrictEqual(read(`{"version":2,"amount":"5"}`), { amount: 5n })
  assert.deepStrictEqual(read(`{"amount":"5"}`), { amount: 5n })
})

it("may write version 1 without a number, where its text is compared", () => {
  assert.strictEqual(Schema.encodeSync(First)({ amount: 5n }), `{"amount":"5"}`)
  assert.deepStrictEqual(Schema.decodeUnknownSync(First)(`{"version":1,"amount":"5"}`), { amount: 5n })
})

it("is refused in words if a newer program wrote it, whatever its fields are", () => {
  for (const text of [`{"version":3,"amount":"5"}`, `{"amount":5,"version":9}`]) {
    assert.throws(() => read(text), /a note has version [39], and this program reads version 2: use the version/)
  }
})

it("is refused if it has another form", () => {
  for (
    const text of [
      "",
      "[]",
      "7",
      "null",
      `{"version":"2","amount":"5"}`,
      `{"version":0}`,
      `{"version":1.5}`,
      `{"version":null}`
    ]
  ) {
    assert.throws(() => read(text), /a note (is no JSON|has no version)/)
  }
  assert.throws(() => read(`{"version":2,"amount":true}`))
})
