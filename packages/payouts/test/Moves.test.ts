import * as Address from "@effect-klaytn/core/Address"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isSameMove, movesOf } from "../src/internal/moves.js"
import { Content } from "../src/Payout.js"

const from = Address.zero
const to = Either.getOrThrow(Address.make(`0x${"dd".repeat(20)}`))

const moves = (request: Record<string, unknown>) =>
  movesOf(Schema.decodeUnknownSync(Content.fields.request)({ from, to, value: "5", ...request }))

const coin = moves({ _tag: "Value" })

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
