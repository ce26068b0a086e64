import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as HistoryApi from "../src/HistoryApi.js"
import * as Transfer from "../src/Transfer.js"
import { coin, ft, mt, nft, unknown } from "./support/records.js"

const uint256 = FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const digits = (count: number) =>
  FastCheck.array(FastCheck.constantFrom(..."0123456789abcdef"), { minLength: count, maxLength: count })
    .map((all) => `0x${all.join("")}`)
const address = digits(40)
const hash = digits(64)
const count = FastCheck.nat()
const optional = { noNullPrototype: true }

const fees = { fee: uint256, feePayer: address, feeRatio: FastCheck.nat({ max: 99 }) }

const transaction = FastCheck.record({
  from: address,
  transactionHash: hash,
  blockNumber: count,
  timestamp: count,
  typeInt: count,
  value: uint256,
  ...fees
}, { ...optional, requiredKeys: ["from", "transactionHash", "typeInt", "value", "fee", "feeRatio"] })

const contract = FastCheck.record({
  address,
  name: FastCheck.string(),
  symbol: FastCheck.string(),
  decimals: FastCheck.nat({ max: 255 }),
  status: FastCheck.string()
}, { ...optional, requiredKeys: ["address"] })

const token = { from: address, to: address, contract, transaction }

const kinds = {
  CoinTransfer: FastCheck.record({
    _tag: FastCheck.constant("CoinTransfer"),
    from: address,
    to: address,
    value: uint256,
    ...fees,
    status: FastCheck.constantFrom("success", "failure", 2, -1),
    transactionHash: hash,
    transactionIndex: count,
    blockNumber: count,
    typeInt: count,
    timestamp: count
  }, { ...optional, requiredKeys: ["_tag", "from", "to", "value", "fee", "feeRatio", "transactionHash", "typeInt"] }),
  FtTransfer: FastCheck.record({
    _tag: FastCheck.constant("FtTransfer"),
    ...token,
    value: uint256,
    formattedValue: FastCheck.string()
  }, { ...optional, requiredKeys: ["_tag", "from", "to", "contract", "transaction", "value"] }),
  NftTransfer: FastCheck.record({ _tag: FastCheck.constant("NftTransfer"), ...token, tokenId: uint256 }),
  MtTransfer: FastCheck.array(FastCheck.tuple(uint256, uint256)).chain((pairs) =>
    FastCheck.record({
      _tag: FastCheck.constant("MtTransfer"),
      ...token,
      operator: address,
      ids: FastCheck.constant(pairs.map(([id]) => id)),
      values: FastCheck.constant(pairs.map(([, value]) => value))
    })
  ),
  UnknownTransfer: FastCheck.tuple(
    FastCheck.string().filter((kind) => !["coin", "klay", "ft", "nft", "mt"].includes(kind)),
    FastCheck.dictionary(FastCheck.string().filter((name) => name !== "__proto__"), FastCheck.json())
  ).map(([transferType, fields]) => ({
    _tag: "UnknownTransfer",
    transferType,
    record: { ...fields, transferType }
  }))
}

const encode = Schema.encodeUnknownSync(Transfer.Transfer)
const decode = Schema.decodeUnknownSync(Transfer.Transfer)
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a transfer", () => {
  it.each(Object.entries<FastCheck.Arbitrary<unknown>>(kinds))(
    "of kind %s is the same after a way through JSON",
    (_, any) => {
      FastCheck.assert(FastCheck.property(any, (transfer) => {
        const sent = encode(transfer)
        const received = throughJson(sent)
        assert.deepStrictEqual(received, sent as unknown, "nothing in it is lost in JSON")
        assert.deepStrictEqual(decode(received) as unknown, transfer)
      }))
    }
  )

  it("is written as it was read, the coin by the word that the service was seen to send", () => {
    for (const record of [coin, ft, nft, mt, unknown]) {
      assert.deepStrictEqual(encode(decode(record)) as unknown, record)
    }
    assert.deepStrictEqual(encode(decode({ ...coin, transferType: "coin" })) as unknown, coin)
  })
})

describe("a page", () => {
  it("of any kinds of transfers is the same after a way through JSON", () => {
    const { CoinTransfer, FtTransfer, MtTransfer, NftTransfer } = kinds
    const items = FastCheck.array(FastCheck.oneof(CoinTransfer, FtTransfer, NftTransfer, MtTransfer), { maxLength: 5 })
    const read = Schema.decodeUnknownSync(HistoryApi.PageableTransfers)
    const write = Schema.encodeSync(HistoryApi.PageableTransfers)
    FastCheck.assert(FastCheck.property(items, FastCheck.string(), (transfers, cursor) => {
      const sent = throughJson({ items: transfers.map((transfer) => encode(transfer)), cursor })
      const page = read(sent)
      assert.deepStrictEqual(page.items as unknown, transfers)
      assert.deepStrictEqual(throughJson(write(page)), sent)
    }))
  })
})
