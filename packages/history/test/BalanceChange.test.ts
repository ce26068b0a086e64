import * as Address from "@effect-klaytn/core/Address"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as BalanceChange from "../src/BalanceChange.js"
import { Transfer } from "../src/Transfer.js"
import * as Records from "./support/records.js"

const account = (text: string) => Either.getOrThrow(Address.make(text))
const alice = account(Records.alice)
const bob = account(Records.bob)
const contract = account(Records.token)
const read = Schema.decodeUnknownSync(Transfer)
const paid = { ...Records.coin, to: Records.bob, value: "0x64" }

const coin = (amount: bigint, isCertain = true) => [
  { asset: "coin", contract: undefined, tokenId: undefined, amount, isCertain } as const
]

describe("what a transfer moved for an account", () => {
  it("is what left the sender and came to the receiver", () => {
    assert.deepStrictEqual(BalanceChange.of(read(paid), alice), coin(-100n))
    assert.deepStrictEqual(BalanceChange.of(read(paid), bob), coin(100n))
    assert.deepStrictEqual(
      BalanceChange.of(read({ ...paid, to: `0x${"ab".repeat(20)}` }), `0x${"AB".repeat(20)}`),
      coin(100n)
    )
    assert.deepStrictEqual(BalanceChange.of(read(paid), contract), [])
  })

  it("is nothing of a coin transfer that failed, whatever its value", () => {
    const failed = read({ ...paid, status: 0 })
    assert.deepStrictEqual([...BalanceChange.of(failed, alice), ...BalanceChange.of(failed, bob)], [])
  })

  it("is not certain where the record does not say whether it succeeded", () => {
    const { status: _, ...older } = paid
    assert.deepStrictEqual(BalanceChange.of(read(older), bob), coin(100n, false))
    assert.deepStrictEqual(BalanceChange.of(read({ ...paid, status: 7 }), bob), coin(100n, false))
  })

  it("is nothing where the account is on both sides, and where the value is 0", () => {
    assert.deepStrictEqual(BalanceChange.of(read({ ...paid, to: Records.alice }), alice), [])
    assert.deepStrictEqual(BalanceChange.of(read({ ...paid, value: "0x0" }), alice), [])
  })

  it("is told of tokens with their contract and number, and of the owner, not of who sent the transaction", () => {
    const token = { contract, isCertain: true }
    assert.deepStrictEqual(BalanceChange.of(read(Records.ft), bob), [
      { asset: "ft", ...token, tokenId: undefined, amount: 1000n }
    ])
    assert.deepStrictEqual(BalanceChange.of(read(Records.nft), bob), [
      { asset: "nft", ...token, tokenId: 450n, amount: 1n }
    ])
    assert.deepStrictEqual(BalanceChange.of(read(Records.nft), alice), [])
    // Of the second token nothing moved.
    assert.deepStrictEqual(BalanceChange.of(read(Records.mt), alice), [
      { asset: "mt", ...token, tokenId: 1n, amount: -10n }
    ])
  })

  it("is nothing of a kind that is not known", () => {
    assert.deepStrictEqual(BalanceChange.of(read(Records.unknown), alice), [])
  })
})
