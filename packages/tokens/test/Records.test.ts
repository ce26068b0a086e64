import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as ContractDetail from "../src/ContractDetail.js"
import * as ContractSummary from "../src/ContractSummary.js"
import * as Ownership from "../src/Ownership.js"
import * as Token from "../src/Token.js"
import * as TokenId from "../src/TokenId.js"
import * as TokenSummary from "../src/TokenSummary.js"
import * as records from "./support/records.js"

const json = (value: unknown) => JSON.parse(JSON.stringify(value))

interface Row {
  readonly name: string
  readonly schema: Schema.Schema.AnyNoContext
  readonly wire: object
}

const rows: ReadonlyArray<Row> = [
  { name: "Nft", schema: Token.Nft, wire: records.nft },
  { name: "MtToken", schema: Token.MtToken, wire: records.mtToken },
  { name: "Mt", schema: Token.Mt, wire: records.mt },
  { name: "FtContractDetail", schema: ContractDetail.FtContractDetail, wire: records.ftDetail },
  { name: "NftContractDetail", schema: ContractDetail.NftContractDetail, wire: records.nftDetail },
  { name: "MtContractDetail", schema: ContractDetail.MtContractDetail, wire: records.mtDetail },
  { name: "OwnershipChange", schema: Ownership.OwnershipChange, wire: records.change },
  { name: "FtContractSummary", schema: ContractSummary.ContractSummary, wire: records.contracts.ft },
  { name: "NftContractSummary", schema: ContractSummary.ContractSummary, wire: records.contracts.nft },
  { name: "MtContractSummary", schema: ContractSummary.ContractSummary, wire: records.contracts.mt },
  { name: "UnknownContractSummary", schema: ContractSummary.ContractSummary, wire: records.contracts.unknown },
  { name: "FtTokenSummary", schema: TokenSummary.TokenSummary, wire: records.holdings.ft },
  { name: "NftTokenSummary", schema: TokenSummary.TokenSummary, wire: records.holdings.nft },
  { name: "MtTokenSummary", schema: TokenSummary.TokenSummary, wire: records.holdings.mt },
  { name: "UnknownTokenSummary", schema: TokenSummary.TokenSummary, wire: records.holdings.unknown }
]

const later = {
  soul: { bound: [1, null] },
  extra: "a field of this name",
  tokenID: "0x1",
  constructor: "x",
  hasOwnProperty: 1
}

describe("a record of the service", () => {
  for (const { name, schema, wire } of rows) {
    it(`is written back as it came: ${name}`, () => {
      assert.deepStrictEqual(Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(json(wire))), wire)
    })

    it(`keeps the fields of a later version, and writes them back: ${name}`, () => {
      const more = json({ ...wire, ...later })
      const record = Schema.decodeUnknownSync(schema)(more)
      if (!name.startsWith("Unknown")) assert.deepStrictEqual(record.extra, json(later))
      assert.deepStrictEqual(Schema.encodeSync(schema)(record), more)
    })
  }

  it("takes no field of its own out of `extra`", () => {
    const record = Schema.decodeUnknownSync(Token.Nft)(records.nft)
    const encoded = Schema.encodeSync(Token.Nft)({ ...record, extra: { owner: records.bob, later: 1 } })
    assert.deepStrictEqual(encoded, { ...records.nft, later: 1 } as typeof encoded)
  })

  it("does not let a field named __proto__ become a prototype", () => {
    const text = JSON.stringify(records.nft).replace("{", "{\"__proto__\":{\"polluted\":true},")
    const record = Schema.decodeUnknownSync(Token.Nft)(JSON.parse(text))
    assert.strictEqual(Object.getPrototypeOf(record), Object.prototype)
    assert.strictEqual(Object.getPrototypeOf(record.extra), Object.prototype)
    assert.notProperty(record, "polluted")
    assert.notProperty(record.extra, "polluted")
  })

  it("has its addresses in lower case, whatever the service wrote", () => {
    const holder: unknown = Schema.decodeUnknownSync(Ownership.TokenHolder)(records.holder)
    assert.deepStrictEqual(holder, {
      address: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
      totalHolder: 77,
      extra: {}
    })
  })

  it("has no time where the service says 0 or nothing", () => {
    const decode = Schema.decodeUnknownSync(ContractDetail.MtContractDetail)
    const none = decode({ ...records.mtDetail, createdAt: 0, updatedAt: 0 })
    assert.notProperty(none, "createdAt")
    assert.notProperty(none, "updatedAt")
    assert.notProperty(none, "deletedAt")
    const { createdAt: _, deletedAt: __, updatedAt: ___, ...older } = records.mtDetail
    assert.deepStrictEqual(decode(older), none)
    const all = decode(records.nftDetail)
    assert.deepStrictEqual([all.createdAt, all.updatedAt, all.deletedAt].map(Number), [
      1_600_000_001,
      1_600_000_002,
      1_600_000_003
    ])
  })

  it("has what older contract records carry", () => {
    const older = {
      ...records.ftDetail,
      type: "kip",
      status: "someday",
      createdAt: 0,
      updatedAt: 0,
      link: { website: "https://apple.example", icon: "" }
    }
    const record = Schema.decodeUnknownSync(ContractDetail.FtContractDetail)(older)
    assert.deepStrictEqual([record.type, record.status, record.link], ["kip", "someday", older.link])
    assert.deepStrictEqual(record.extra, {})
  })

  it("tells kinds apart by `_tag`, and keeps one that is not known", () => {
    const decode = Schema.decodeUnknownSync(TokenSummary.TokenSummary)
    assert.deepStrictEqual(
      Object.values(records.holdings).map((wire) => decode(wire)._tag),
      ["FtTokenSummary", "NftTokenSummary", "MtTokenSummary", "UnknownTokenSummary"]
    )
    assert.deepStrictEqual(decode(records.holdings.unknown), {
      _tag: "UnknownTokenSummary",
      kind: "sbt",
      record: records.holdings.unknown
    })
  })

  it("of a known kind that is broken is not taken for an unknown one", () => {
    const decode = Schema.decodeUnknownEither(ContractSummary.ContractSummary)
    for (const broken of [{ ...records.contracts.nft, totalBalance: 2 }, { kind: "mt" }, { kind: 7 }, {}]) {
      assert.isTrue(Either.isLeft(decode(broken)), JSON.stringify(broken))
    }
  })
})

const byDefinition = FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe("a token ID", () => {
  it.prop("reads what it writes, in the fewest digits", [byDefinition], ([id]) => {
    const text = Schema.encodeSync(TokenId.FromQuantity)(id)
    assert.match(text, /^0x(0|[1-9a-f][0-9a-f]*)$/)
    assert.strictEqual(BigInt(text), id)
    assert.strictEqual(Schema.decodeSync(TokenId.FromQuantity)(text), id)
  })

  it.prop(
    "reads leading zeros and capitals as the same ID",
    [byDefinition, FastCheck.nat({ max: 40 })],
    ([id, zeros]) => {
      const text = `0x${"0".repeat(zeros)}${id.toString(16).toUpperCase()}`
      assert.strictEqual(Schema.decodeSync(TokenId.FromQuantity)(text), id)
    }
  )

  it("is refused below 0, above 2^256 - 1, and as anything but hexadecimal text", () => {
    for (const text of ["-0x1", "0x", "", "1", "0xg", ` 0x1`, "0x1 ", "1e3", `0x1${"0".repeat(64)}`, 1, 1n, null]) {
      assert.isTrue(Either.isLeft(Schema.decodeUnknownEither(TokenId.FromQuantity)(text)), String(text))
    }
    for (const id of [-1n, 2n ** 256n, 1, "1", null]) {
      assert.isTrue(Either.isLeft(Schema.decodeUnknownEither(TokenId.TokenId)(id)), String(id))
    }
    assert.strictEqual(Schema.decodeUnknownSync(TokenId.TokenId)(TokenId.max), 2n ** 256n - 1n)
  })
})

const properties = { Nft: Token.Nft, MtToken: Token.MtToken, Mt: Token.Mt }

describe("a record of token data", () => {
  for (const [name, schema] of Object.entries(properties)) {
    it(`survives its own JSON: ${name}`, () => {
      const text = Schema.parseJson(schema as Schema.Schema.AnyNoContext)
      FastCheck.assert(FastCheck.property(Arbitrary.make(schema as Schema.Schema.AnyNoContext), (record) => {
        const known = { ...record, extra: {} }
        const back = Schema.decodeUnknownSync(text)(Schema.encodeSync(text)(known))
        assert.deepStrictEqual(back, known)
      }))
    })
  }
})
