import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Input from "@effect-klaytn/core/Input"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const privateKey = `0x${"1f2e3d4c5b6a7988".repeat(4)}`

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)

const odd: ReadonlyArray<readonly [name: string, value: unknown]> = [
  ["an object whose toString is a number", { toString: 1 }],
  ["an object without a prototype", Object.create(null)],
  ["lists 250,000 deep", nested(250_000)],
  [
    "a proxy that was revoked",
    (() => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    })()
  ],
  ["a getter that throws", {
    get address(): string {
      throw new Error("no")
    }
  }],
  ["a symbol", Symbol("s")],
  ["100,000 characters", "x".repeat(100_000)],
  ["a number of a million bits", 1n << 1_000_000n]
]

const Account = Schema.Struct({ address: Schema.Number, more: Schema.optional(Schema.Unknown) })

const Described = Schema.Struct({ name: Schema.String.annotations({ description: "not shown" }) })

const wanted: ReadonlyArray<readonly [schema: Schema.Schema.AnyNoContext, words: string]> = [
  [Schema.Struct({ from: Schema.String, gas: Schema.optional(Schema.Number) }), "an object with from"],
  [
    Schema.Struct({ gas: Schema.optional(Schema.Number), nonce: Schema.optional(Schema.Number) }),
    "an object"
  ],
  [Schema.Record({ key: Schema.String, value: Schema.Unknown }), "an object"],
  [Schema.Struct({ from: Described }).pipe(Schema.filter(() => true)), "an object with from"],
  [
    Schema.transform(Described, Schema.Number, { strict: true, decode: () => 1, encode: () => ({ name: "" }) }),
    "an object with name"
  ],
  [
    Schema.Union(Schema.TaggedStruct("TimeRange", {}), Schema.TaggedStruct("BlockRange", {})),
    "TimeRange or BlockRange"
  ],
  [Described.annotations({ identifier: "Person" }), "Person"],
  [Schema.NonEmptyArray(Schema.Number), "an array"],
  [Schema.NullOr(Schema.Literal("a", "b")), "\"a\" or \"b\" or null"],
  [Schema.Union(Schema.String, Schema.Struct({ a: Schema.Number })), "string or an object with a"]
]

describe("what a schema expects", () => {
  it.effect.each(wanted)("is said in words: $1", ([schema, words]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Input.decode("test.read", schema)(5))
      assert.strictEqual(error.problem, `Expected ${words}, actual 5`)
    }))
})

describe("a foreign value", () => {
  for (const [name, value] of odd) {
    it(`is described in a few words: ${name}`, () => {
      assert.isAtMost(Sanitize.describe(value).length, 60)
    })

    it.effect(`is refused as input, short and without a defect: ${name}`, () =>
      Effect.gen(function*() {
        for (const input of [value, { address: value }]) {
          const error = yield* Effect.flip(Input.decode("test.read", Account)(input))
          assert.isAtMost(JSON.stringify(error).length, 400)
          assert.isAtMost(error.message.length, 300)
        }
      }))

    it(`is refused as an answer, without a defect: ${name}`, () => {
      const decoded = Decoder.make(Account)({ address: value })
      assert.isTrue(Either.isLeft(decoded))
      if (Either.isLeft(decoded)) {
        assert.isAtMost(JSON.stringify(ServiceClient.mismatch(decoded.left)).length, 300)
      }
    })
  }

  it("is read up to 100,000 characters of text, and only its size is said of the rest", () => {
    const read: Array<number> = []
    const shown = Sanitize.json((text) => {
      read.push(text.length)
      return text
    })(Array.from({ length: 12 }, () => "%".repeat(9_999)))
    assert.deepStrictEqual(shown, [
      ...Array.from({ length: 10 }, () => "%".repeat(500)),
      "a string of 9999 characters",
      "a string of 9999 characters"
    ])
    assert.strictEqual(read.reduce((sum, length) => sum + length, 0), 99_990)
  })

  it("is shown as JSON, as far as it can be read", () => {
    const looped: Record<string, unknown> = { a: 1 }
    looped["again"] = looped
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const hostile = {
      get name(): string {
        throw new Error("no")
      }
    }
    const shown = Sanitize.json((text) => text)
    const throwing = {
      toJSON: (): never => {
        throw new Error("no")
      }
    }
    for (const value of [looped, proxy, hostile, throwing, { list: [proxy, hostile] }]) {
      assert.isAtMost(JSON.stringify(shown({ value })).length, 2000)
    }
    assert.deepStrictEqual(shown([1n, hostile, { proxy }]), [
      "1",
      "something that can't be read",
      { proxy: "something that can't be read" }
    ])
  })

  it("is refused as an answer when it is nested too deep for recursion", () => {
    const decode = Decoder.make(Account)
    assert.isTrue(Either.isLeft(decode({ address: 1, more: nested(250_000) })))
    assert.isTrue(Either.isRight(decode({ address: 1, more: nested(900) })))
  })

  it.prop("is never shown if it may be a key", [FastCheck.stringMatching(/^[0-9a-zA-Z+/]{32,60}$/)], ([key]) => {
    for (const text of [key, `0x${key}`, ` ${key}`, key.slice(0, 30)]) {
      assert.notInclude(Sanitize.describe(text), key.slice(0, 12))
    }
  })

  it("shows what a person typed, so that the mistake can be seen", () => {
    assert.strictEqual(Sanitize.describe("1,5"), "\"1,5\"")
    assert.strictEqual(Sanitize.describe("a name: with words (and so on)"), "\"a name: with words (and so on)\"")
    assert.strictEqual(Sanitize.describe("0x1bc16d674ec80000"), "\"0x1bc16d674ec80000\"")
    assert.strictEqual(Sanitize.describe("2024-01-01T00:00:00Z"), "\"2024-01-01T00:00:00Z\"")
    assert.strictEqual(Sanitize.describe("getTransactions"), "\"getTransactions\"")
    assert.strictEqual(Sanitize.describe("UJ27TKBE7Q6793769"), "a string of 17 characters")
    assert.strictEqual(Sanitize.describe("my pass.word Q6793769"), "a string of 21 characters")
    assert.strictEqual(Sanitize.describe("#+|~b>%~'b?$$Q5"), "a string of 15 characters")
    assert.strictEqual(Sanitize.describe("ñ국9ΩΩ한9ß你你ñQ41"), "a string of 14 characters")
    assert.strictEqual(Sanitize.describe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed").length, 44)
    assert.strictEqual(Sanitize.describe("a\nb\u202e\u200b"), "\"a b\"")
    assert.strictEqual(Sanitize.describe(-3n), "-3n")
    assert.strictEqual(Sanitize.describe(null), "null")
  })
})

describe("an input that is refused", () => {
  const Given = Schema.Struct({ keyId: KeyId.FromString })

  it.effect("does not show a private key that was given for something else", () =>
    Effect.gen(function*() {
      for (const input of [{ keyId: privateKey }, { keyId: "", [privateKey]: 1 }, privateKey, [privateKey]]) {
        const error = yield* Effect.flip(Input.decode("test.read", Given)(input))
        assert.notInclude(`${JSON.stringify(error)}${error.message}${String(error)}`, privateKey.slice(2, 20))
      }
      assert.notInclude(String(Either.flip(KeyId.make(privateKey))), privateKey.slice(2, 20))
      const parted = (privateKey.slice(2, 22).match(/.{4}/g) ?? []).join("\ufeff")
      const error = yield* Effect.flip(Input.decode("test.read", Given)({ [parted]: 1, keyId: "" }))
      assert.notInclude(`${JSON.stringify(error)}${error.message}`, privateKey.slice(2, 12))
    }))

  it.effect("names an option that does not exist", () =>
    Effect.gen(function*() {
      const Options = Schema.Struct({ kinds: Schema.optional(Schema.Array(Schema.String)) })
      const error = yield* Effect.flip(Input.decode("test.read", Options)({ kind: ["ft"] }))
      assert.deepStrictEqual(error.path, ["kind"])
      assert.strictEqual(error.problem, "there is no such field; did you mean kinds?")
      const other = yield* Effect.flip(Input.decode("test.read", Options)({ size: 1 }))
      assert.strictEqual(other.problem, "there is no such field")
    }))
})

describe("text of the service", () => {
  const clean = Sanitize.text((text) => text.replaceAll("hidden", "<redacted>"))

  it("is put on one line, without invisible characters, and is short", () => {
    assert.strictEqual(clean("one\r\n\u001b[31mtwo\u2028three"), "one [31mtwo three")
    assert.strictEqual(clean("ab\u200bc\u202ed"), "abcd")
    assert.strictEqual(clean("half \ud800"), "half \ufffd")
    assert.strictEqual(clean("x".repeat(600)).length, 500)
    assert.strictEqual(clean("x".repeat(20_000)), "a string of 20000 characters")
    assert.strictEqual(clean("it is hidden"), "it is <redacted>")
  })

  it("is clean in the data of an error, and bytes stay whole", () => {
    const bytes = `0x${"ab".repeat(5000)}`
    assert.deepStrictEqual(
      Sanitize.json((text) => text.replaceAll("hidden", "-"))({ "a\nhidden": ["hidden", bytes, 1, null] }),
      {
        "a -": ["-", bytes, 1, null]
      }
    )
    assert.isAtMost(JSON.stringify(Sanitize.json((text) => text)(nested(100_000))).length, 100)
    assert.isAtMost(
      JSON.stringify(Sanitize.json((text) => text)(Array.from({ length: 100_000 }, () => [1]))).length,
      20_000
    )
  })
})
