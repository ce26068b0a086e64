import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import { noData } from "@effect-klaytn/core/HexEncoding"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isSameMove, movesOf } from "../src/internal/moves.js"
import { movesNothing } from "../src/internal/report/compare.js"
import { Content } from "../src/Payout.js"

const from = Address.zero
const to = Either.getOrThrow(Address.make(`0x${"dd".repeat(20)}`))

const moves = (request: Record<string, unknown>) =>
  movesOf(Schema.decodeUnknownSync(Content.fields.request)({ from, to, value: "5", ...request }))

const coin = moves({ _tag: "Value" })

describe("a transaction that a day's report finds", () => {
  const mined = (typeInt: number | undefined, to: typeof from | undefined, value = 0n) =>
    movesNothing({
      transactionHash: Either.getOrThrow(Hash.make(`0x${"ab".repeat(32)}`)),
      from,
      nonce: 1,
      value: Amount.make(value).pipe(Either.getOrThrow),
      input: noData,
      block: 1,
      succeeded: true,
      paidBy: from,
      fee: 1n,
      senderShare: 0n,
      to,
      typeInt
    })

  it("moved nothing if its type is that of a cancellation, or of a transfer of 0 to its own account", () => {
    for (const type of [0x38, 0x39, 0x3a]) assert.isTrue(mined(type, undefined))
    for (const type of [0, 8, 9, 10, 0x7801, 0x7802]) assert.isTrue(mined(type, from))
    for (const type of [0, 8, 9, 10, 0x7801, 0x7802]) assert.isFalse(mined(type, to))
    assert.isFalse(mined(8, from, 1n))
  })

  it("is told if it changes a key or a code, deploys, or has no type that is known", () => {
    for (const type of [0x20, 0x21, 0x22, 0x28, 0x29, 0x30, undefined]) assert.isFalse(mined(type, undefined))
    for (const type of [0x20, 0x7804, 0x30, undefined]) assert.isFalse(mined(type, from))
  })
})

describe("what two payouts move", () => {
  it("is the same if one transaction could be either, as a payment of coin or as a call", () => {
    assert.isTrue(isSameMove(coin, moves({ _tag: "Execute", input: "0x" })))
    assert.isTrue(isSameMove(moves({ _tag: "Value", memo: "rent" }), moves({ _tag: "Execute", input: "0x72656e74" })))
  })

  it("differs by the memo or the input, and by the value", () => {
    assert.isFalse(isSameMove(coin, moves({ _tag: "Execute", input: "0x72656e74" })))
    assert.isFalse(isSameMove(coin, moves({ _tag: "Value", memo: "rent" })))
    assert.isFalse(isSameMove(coin, moves({ _tag: "Execute", input: "0x", value: "6" })))
  })
})
