import { Cursors, type Position } from "@effect-klaytn/indexer/Cursors"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { formatAmount } from "../../indexer/src/internal/data/wireTransfer.js"
import { uuid } from "./support/wire.js"

const hash = FastCheck.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes.some((byte) => byte > 0))
  .map(
    (bytes): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`
  )
const position: FastCheck.Arbitrary<Position> = FastCheck.record({
  before: FastCheck.maxSafeNat(),
  pendingTrigger: FastCheck.option(hash, { nil: undefined })
})

describe("A cursor", () => {
  const cursors = new Cursors(new TextEncoder().encode("seed"))

  it.prop(
    "has 128 letters and digits and opens for its own search only",
    [position, FastCheck.string()],
    ([at, search]) => {
      const cursor = cursors.seal(search, at)
      assert.match(cursor, /^[A-Za-z0-9]{128}$/)
      assert.deepStrictEqual(cursors.open(search, cursor), at)
      assert.isUndefined(cursors.open(`${search} `, cursor))
      assert.isUndefined(new Cursors(new TextEncoder().encode("another seed")).open(search, cursor))
    }
  )

  it.prop("with a character changed, or made up, is none", [
    position,
    FastCheck.nat(127),
    FastCheck.string(),
    FastCheck.stringMatching(/^[A-Za-z0-9]{128}$/)
  ], ([at, index, text, like]) => {
    const cursor = cursors.seal("search", at)
    const other = cursor.charAt(index) === "7" ? "8" : "7"
    assert.isUndefined(cursors.open("search", `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`))
    assert.isUndefined(cursors.open("search", text))
    assert.isUndefined(cursors.open("search", like))
  })

  it("tells nothing of its position: neighbours share no beginning", () => {
    const [one, other] = [
      cursors.seal("search", { before: 7, pendingTrigger: undefined }),
      cursors.seal("search", { before: 8, pendingTrigger: undefined })
    ]
    assert.notStrictEqual(one.slice(0, 8), other.slice(0, 8))
    assert.notStrictEqual(one.slice(-8), other.slice(-8))
  })
})

describe("A token amount as text", () => {
  for (
    const [value, decimals, text] of [
      [0x15en, 18, "0.00000000000000035"],
      [0x3e8n, 2, "10"],
      [0n, 18, "0"],
      [1n, 0, "1"],
      [100n, 0, "100"],
      [5n, 1, "0.5"],
      [1_000_000n, 3, "1000"],
      [1n, 255, `0.${"0".repeat(254)}1`]
    ] as const
  ) {
    it(`is ${text.slice(0, 24)} for ${value} with ${decimals} decimals`, () => {
      assert.strictEqual(formatAmount(value, decimals), text)
    })
  }

  it.prop("is exact: without its point it is the amount again", [
    FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    FastCheck.nat(255)
  ], ([value, decimals]) => {
    const [whole = "", fraction = ""] = formatAmount(value, decimals).split(".")
    assert.match(`${whole}.${fraction}`, /^(?:0|[1-9]\d*)\.(?:\d*[1-9])?$/)
    assert.strictEqual(BigInt(whole + fraction.padEnd(decimals, "0")), value)
  })
})

describe("A request ID", () => {
  it("is a UUID, and the same in the same place for the same seed", () => {
    const ids = (seed: string | undefined) => {
      const source = new RequestIds(seed)
      return Array.from({ length: 50 }, () => source.next())
    }
    const fixed = ids("seed")
    for (const id of [...fixed, ...ids(undefined)]) assert.match(id, uuid)
    assert.deepStrictEqual(ids("seed"), fixed)
    assert.notDeepEqual(ids("other"), fixed)
    assert.notDeepEqual(ids(undefined), ids(undefined))
    assert.strictEqual(new Set(fixed).size, 50)
  })
})
