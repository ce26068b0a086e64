import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { agree, agreeAround, agreeOn } from "../support/agreement.js"

class Point extends Schema.Class<Point>("Point")({ x: Schema.Number, y: Schema.optional(Schema.Number) }) {}

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Schema<Tree> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend(() => Tree))
})

const Shape = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("circle"), r: Schema.Number }),
  Schema.Struct({ kind: Schema.Literal("square"), side: Schema.NumberFromString }),
  Schema.Struct({ name: Schema.String })
)

const Renamed = Schema.Struct({
  _tag: Schema.propertySignature(Schema.transformLiteral("TxTypeCancel", "Cancel")).pipe(Schema.fromKey("type")),
  v: Schema.propertySignature(HexEncoding.BigIntFromQuantity).pipe(Schema.fromKey("V")),
  to: Schema.optionalWith(Address.FromWire, { exact: true, nullable: true }),
  some: Schema.optionalWith(Schema.NumberFromString, { as: "Option" }),
  count: Schema.optionalWith(Schema.Number, { default: () => 7 }),
  plain: Schema.optional(Schema.Boolean)
})

/** A schema, and a value that it takes. */
const zoo: ReadonlyArray<readonly [name: string, schema: Schema.Schema<never, never>, good: unknown]> = [
  row("a record", Schema.Struct({ a: Schema.String, b: Schema.Int }), { a: "x", b: 1 }),
  row("a record that may be undefined", Schema.Struct({ a: Schema.UndefinedOr(Schema.String) }), { a: undefined }),
  row("an empty record", Schema.Struct({}), { a: 1 }),
  row(
    "optional fields",
    Schema.Struct({ a: Schema.optional(Schema.String), b: Schema.optionalWith(Schema.Int, { exact: true }) }),
    {
      a: "x",
      b: 1
    }
  ),
  row("renamed and defaulted fields", Renamed, {
    type: "TxTypeCancel",
    V: "0x1",
    to: `0x${"ab".repeat(20)}`,
    some: "3",
    count: 1,
    plain: true
  }),
  row(
    "a field under another name",
    Schema.Struct({ a: Schema.String, b: Schema.NumberFromString }).pipe(Schema.rename({ a: "c" })),
    { a: "x", b: "1" }
  ),
  row(
    "a field attached",
    Schema.Struct({ a: Schema.String }).pipe(Schema.attachPropertySignature("kind", "attached")),
    { a: "x" }
  ),
  row("a list", Schema.Array(Schema.NumberFromString), ["1", "2"]),
  row("a list that is not empty", Schema.NonEmptyArray(Schema.Trim), [" a", "b"]),
  row("a tuple", Schema.Tuple(Schema.String, Schema.NumberFromString), ["a", "1"]),
  row(
    "a tuple with more",
    Schema.Tuple([Schema.String, Schema.optionalElement(Schema.Int)], Schema.Boolean),
    ["a", 1, true, false]
  ),
  row("records by any name", Schema.Record({ key: Schema.String, value: Schema.NumberFromString }), { a: "1", b: "2" }),
  row("a record and any name", Schema.Struct({ a: Schema.Int }, { key: Schema.String, value: Schema.Unknown }), {
    a: 1,
    z: 2
  }),
  row("a union by a tag", Schema.Array(Shape), [{ kind: "circle", r: 1 }, { kind: "square", side: "2" }, {
    name: "n"
  }]),
  row(
    "a union where more than one fits",
    Schema.Array(Schema.Union(
      Schema.Struct({ a: Schema.Unknown }),
      Schema.Struct({ a: Schema.Literal(1), b: Schema.optional(Schema.Int) }),
      Schema.Struct({ a: Schema.Literal(1), c: Schema.optional(Schema.Int) })
    )),
    [{ a: 1, b: 2, c: 3 }, { a: 2 }]
  ),
  row(
    "a union of two by the same tag",
    Schema.Array(Schema.Union(
      Schema.Struct({ a: Schema.Literal("x"), b: Schema.Int }),
      Schema.Struct({ a: Schema.Literal("x"), b: Schema.Unknown, c: Schema.optional(Schema.Int) })
    )),
    [{ a: "x", b: 1, c: 2 }, { a: "x", b: "y", c: 2 }]
  ),
  row(
    "a union by two tags",
    Schema.Array(Schema.Union(
      Schema.Struct({ a: Schema.Literal("x"), b: Schema.Literal("y") }),
      Schema.Struct({ b: Schema.Literal("z"), c: Schema.Int })
    )),
    [{ a: "x", b: "y" }, { b: "z", c: 1 }]
  ),
  row("a union of scalars", Schema.Array(Schema.Union(Schema.NumberFromString, Schema.Int, Schema.Null)), [
    "1",
    2,
    null
  ]),
  row("literals", Schema.Array(Schema.Union(Schema.transformLiterals([1, "success"], [0, "failure"]), Schema.Int)), [
    1,
    0,
    5
  ]),
  row("numbers as text and as numbers", Schema.Array(Schema.Literal("1", 1, true, null)), ["1", 1, true, null]),
  row("a template", Schema.Array(Schema.TemplateLiteral("a", Schema.Number)), ["a1"]),
  row("a tree", Tree, { name: "a", children: [{ name: "b", children: [] }] }),
  row("a class", Schema.Array(Point), [{ x: 1, y: 2 }, { x: 1 }]),
  row("a brand and a filter", Schema.Array(Schema.Int.pipe(Schema.positive(), Schema.brand("Positive"))), [1, 2]),
  row("a date", Schema.Array(Schema.Date), ["2020-01-01T00:00:00.000Z"]),
  row("big numbers", Schema.Array(Schema.BigInt), ["1", "-2"]),
  row("JSON in a text", Schema.parseJson(Schema.Struct({ a: Schema.Int })), `{"a":1}`),
  row("an option", Schema.Array(Schema.Option(Schema.NumberFromString)), [{ _tag: "Some", value: "1" }, {
    _tag: "None"
  }]),
  row("a set", Schema.Set(Schema.NumberFromString), ["1", "2"]),
  row(
    "no excess",
    Schema.Struct({ a: Schema.Int }).annotations({ parseOptions: { onExcessProperty: "error" } }),
    { a: 1 }
  ),
  row(
    "a fallback",
    Schema.Struct({ a: Schema.Int.annotations({ decodingFallback: () => Either.right(42) }) }),
    { a: 1 }
  ),
  row(
    "a transformation that is an effect",
    Schema.Array(Schema.transformOrFail(Schema.String, Schema.Number, {
      strict: true,
      decode: (text, _, ast) =>
        Effect.suspend(() => text === "" ? Effect.fail(new ParseResult.Type(ast, text)) : Effect.succeed(text.length)),
      encode: (number) => Effect.succeed("x".repeat(number))
    })),
    ["a", "bb"]
  ),
  row(
    "a filter that is an effect",
    Schema.String.pipe(Schema.filterEffect((text) => Effect.succeed(text !== ""))),
    "a"
  ),
  row(
    "a transformation that lies",
    Schema.transform(Schema.String, Schema.Int, {
      strict: true,
      decode: (text) => text.length / 2,
      encode: String
    }),
    "ab"
  ),
  row("what is the same on both sides", Schema.Struct({ a: Schema.typeSchema(Renamed) }), {
    a: { _tag: "Cancel", v: 1n, some: Option.none(), count: 1 }
  }),
  row(
    "scalars of the chain",
    Schema.Struct({
      address: Address.FromWire,
      hash: Hash.FromWire,
      data: HexEncoding.HexDataFromWire,
      quantity: HexEncoding.BigIntFromQuantity,
      amount: Amount.FromQuantity,
      time: UnixTime.UnixTime
    }),
    {
      address: `0x${"aB".repeat(20)}`,
      hash: `0x${"cd".repeat(32)}`,
      data: "0xcafe",
      quantity: "0x00Ff",
      amount: "0xde0b6b3a7640000",
      time: 1
    }
  )
]

function row<A, I>(name: string, schema: Schema.Schema<A, I>, good: unknown) {
  // The rows of a table can't each have types of their own.
  return [name, schema as unknown as Schema.Schema<never, never>, good] as const
}

describe("a decoder", () => {
  it.each(zoo)("gives what the schema gives for %s, good or nearly good", (_, schema, good) => {
    agreeAround(schema, good, 400)
  })

  it("gives what the schema gives for anything at all", () => {
    const schemas = FastCheck.constantFrom(...zoo.map(([, schema]) => schema))
    FastCheck.assert(FastCheck.property(schemas, FastCheck.anything(), (schema, value) => agree(schema, value)), {
      numRuns: 3000
    })
  })

  it("gives what the schema gives for values of all kinds that it describes", () => {
    for (const schema of [Renamed, Shape, Schema.Array(Schema.NullOr(Tree))]) agreeOn(schema, 300)
  })

  it("reads quantities of any length and case, and what nearly is one", () => {
    const texts = FastCheck.oneof(
      FastCheck.bigInt({ min: 0n, max: 2n ** 258n }).map((value) => `0x${value.toString(16)}`),
      FastCheck.bigInt({ min: 0n, max: 2n ** 258n }).map((value) => `0x${value.toString(16).toUpperCase()}`),
      FastCheck.stringMatching(/^0x0{0,3}[0-9a-fA-Fg]{0,66}$/),
      FastCheck.tuple(
        FastCheck.nat(6000),
        FastCheck.nat(6000),
        FastCheck.constantFrom("", "g", "F", "é", "\u{1f600}", "\u0131")
      )
        .map(([before, after, odd]) => `0x${"a".repeat(before)}${odd}${"9".repeat(after)}`),
      FastCheck.constantFrom("0x", "0x0", " 0x1", "0x1 ", "0x1\n", "0X1", "-0x1", "1", "")
    )
    const scalars = [
      HexEncoding.BigIntFromQuantity,
      Amount.FromQuantity,
      HexEncoding.HexDataFromWire,
      Hash.FromWire,
      Address.FromWire
    ]
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        for (const schema of scalars) agree(schema as Schema.Schema<unknown, string>, text)
      }),
      { numRuns: 2000 }
    )
  })

  it("reads a valid value once, and an invalid one again to report what is wrong", () => {
    let reads = 0
    const Counted = Schema.Struct({
      a: Schema.String.pipe(Schema.filter((text) => {
        reads++
        return text !== ""
      }))
    })
    const decode = Decoder.make(Schema.Array(Schema.NullOr(Counted)))
    assert.deepStrictEqual(Either.getOrThrow(decode([{ a: "x" }, null])), [{ a: "x" }, null])
    assert.strictEqual(reads, 1)
    assert.include(Either.match(decode([{ a: "" }]), { onLeft: ({ message }) => message, onRight: () => "" }), `["a"]`)
    assert.strictEqual(reads, 3)
  })

  it("refuses a value for which its schema throws", () => {
    const value = { kind: [{ toString: 0 }] }
    assert.throws(() => Schema.decodeUnknownEither(Shape)(value))
    assert.isTrue(Either.isLeft(Decoder.make(Shape)(value)))
  })

  it("takes a value that fits one member of a union, where the schema throws at choosing a member", () => {
    const Fits = Schema.Union(Schema.Struct({ a: Schema.Unknown }), Schema.Struct({ a: Schema.Literal(1) }))
    const value = { a: { toString: false } }
    assert.throws(() => Schema.decodeUnknownEither(Fits)(value))
    assert.deepStrictEqual(Decoder.make(Fits)(value), Either.right(value))
    agree(Fits, value)
  })

  it("uses the custom reader of a schema, and reports a value that the reader refuses with the schema", () => {
    const Flag = Decoder.withCustomReader(
      Schema.transformLiterals(["y", true], ["n", false]),
      (value) => value === "y" ? true : value === "n" ? false : Decoder.fallback
    )
    agreeAround(Schema.Struct({ flag: Flag }), { flag: "y" }, 50)
    agree(Flag, "n")
    agreeAround(Schema.Array(Schema.Union(Flag, Schema.String)), ["y", "n", "other"], 50)
    const other = Decoder.withCustomReader(Schema.String, () => "its own")
    assert.deepStrictEqual(Decoder.make(Schema.Array(other))(["a"]), Either.right(["its own"]))
    assert.deepStrictEqual(Decoder.make(Schema.Array(Schema.String))(["a"]), Either.right(["a"]), "only its own schema")
  })

  it("leaves a value to the schema if it is not clear which member of a union it belongs to", () => {
    const Fits = Schema.Union(
      Schema.Struct({ a: Schema.Literal(1), b: Schema.optional(Schema.Int) }),
      Schema.Struct({ a: Schema.Literal(1), c: Schema.optional(Schema.Int) })
    )
    agree(Schema.Array(Fits), [{ a: 1, b: undefined, c: 3 }, { a: 1 }])
    agree(Schema.Array(Schema.Union(Renamed, Schema.Struct({ type: Schema.String }))), [{
      type: "TxTypeCancel",
      V: "0x1",
      plain: undefined
    }])
  })

  it("reads inherited fields as the schema does", () => {
    const inherited: object = Object.create({ kind: "circle", r: 1, name: "n", a: 1, count: 5 })
    for (const schema of [Shape, Schema.Struct({ a: Schema.optional(Schema.Int) }), Schema.Struct({ a: Schema.Int })]) {
      agree(schema as Schema.Schema<unknown>, inherited)
      agree(schema as Schema.Schema<unknown>, Object.assign(Object.create({ a: 2, kind: "square" }), { r: 1, a: 1 }))
    }
  })

  it("reads a value once more where a member of a union would change what another one gave", () => {
    const One = Schema.Struct({ a: Schema.Int })
    const Two = Schema.Struct({ a: Schema.Int, b: Schema.Int })
    agreeAround(
      Schema.Struct({ x: Schema.String, y: Schema.propertySignature(Two).pipe(Schema.fromKey("z")) }).pipe(
        Schema.compose(Schema.Struct({ x: Schema.String, y: Schema.Union(One, Two) }))
      ),
      { x: "x", z: { a: 1, b: 2 } },
      50
    )
    const field = Schema.optionalToOptional(Two, Schema.Union(One, Two), {
      decode: (found) => found,
      encode: (found) => Option.map(found, (value) => ({ b: 0, ...value }))
    })
    agreeAround(Schema.Struct({ field }), { field: { a: 1, b: 2 } }, 50)
  })

  it("refuses a record without a field that its result must have, as the schema does", () => {
    const wire = Schema.Struct({ a: Schema.String, c: Schema.optional(Schema.String) })
    const result = Schema.Struct({ a: Schema.String, b: Schema.String })
    const keep = new AST.PropertySignatureTransformation("a", "a", identity, identity)
    const drop = new AST.PropertySignatureTransformation("c", "b", Option.filter(() => false), identity)
    for (const changes of [[keep], [keep, drop], [drop]]) {
      const ast = new AST.Transformation(wire.ast, result.ast, new AST.TypeLiteralTransformation(changes))
      const schema = Schema.make<unknown, unknown>(ast)
      for (const value of [{ a: "x" }, { a: "x", c: "y" }]) {
        assert.isTrue(Either.isLeft(Decoder.make(schema)(value)))
        agree(schema, value)
      }
    }
  })

  it("does not check output again that is declared valid", () => {
    let checks = 0
    const Counted = Schema.Int.pipe(Schema.filter(() => {
      checks++
      return true
    }))
    const Found = Decoder.outputIsValid(Schema.OptionFromNullOr(Counted))
    agreeAround(Schema.Array(Found), [1, null], 100)
    const decode = Decoder.make(Found)
    checks = 0
    assert.deepStrictEqual(decode(1), Either.right(Option.some(1)))
    assert.strictEqual(checks, 1)
  })

  it("accepts names and texts of any characters, and runs none of them as code", () => {
    const names = FastCheck.oneof(
      FastCheck.string(),
      FastCheck.fullUnicodeString(),
      FastCheck.constantFrom(
        "__proto__",
        "constructor",
        "toString",
        "0",
        "\"] = globalThis.broken = 1; value[\"",
        "`${globalThis.broken = 1}`",
        "\u2028\u2029\n\r\\\"'",
        "\ud800",
        "*/ globalThis.broken = 1 /*"
      )
    )
    FastCheck.assert(
      FastCheck.property(names, names, names, (name, other, text) => {
        const Named = Schema.Struct({ [name]: Schema.Literal(text), [`${other}?`]: Schema.optional(Schema.String) })
        // A union can't be told apart by what every object has: `effect/Schema` throws.
        const Both = name in Object.prototype
          ? Named
          : Schema.Union(Named, Schema.Struct({ [name]: Schema.Literal(`${text}!`) }))
        for (const value of [text, `${text}!`, other]) {
          agree(Both, { [name]: value, [`${other}?`]: other })
          agree(Both, JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`))
        }
      }),
      { numRuns: 300 }
    )
    assert.isFalse("broken" in globalThis)
  })

  it("keeps the unknown fields of a record, whatever their names", () => {
    const others = Schema.Record({ key: Schema.String, value: Schema.Unknown })
    const Open = Decoder.keepsOthers(
      Schema.transform(
        Schema.Struct({ a: Schema.propertySignature(Schema.NumberFromString).pipe(Schema.fromKey("A")) }, others),
        Schema.typeSchema(Schema.Struct({ a: Schema.Number, b: Schema.optional(Schema.String), others })),
        {
          strict: false,
          decode: ({ a, ...rest }: { readonly a: number }) => ({ a, others: rest }),
          encode: ({ a, others }) => ({ ...others, a })
        }
      ),
      "others"
    )
    const names = FastCheck.constantFrom("A", "a", "b", "others", "toString", "__proto__", "z")
    const records = FastCheck.dictionary(names, FastCheck.anything())
    FastCheck.assert(
      FastCheck.property(records, (record) => {
        agree(Open, record)
        agree(Open, { ...record, A: "1" })
      }),
      { numRuns: 500 }
    )
  })

  it("decodes with the schema alone where code generation is forbidden", async () => {
    const program = join(import.meta.dirname, "../programs/withoutCode.ts")
    const flags = ["--disallow-code-generation-from-strings", "--import", "tsx"]
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
    const [good, ...bad] = stdout.split("\n")
    assert.strictEqual(good, "10 undefined")
    assert.include(bad.join("\n"), "expected a whole number as 0x and at least one hexadecimal digit")
  })
})
