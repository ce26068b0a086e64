import * as Spelling from "@effect-klaytn/core/Spelling"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("Spelling", () => {
  it("is the document's unless a word is replaced", () => {
    assert.deepStrictEqual(Spelling.make({}), { coin: "coin", gas: "gasLimit", feePayer: "feePayer" })
    assert.deepStrictEqual(Spelling.make({}), Spelling.document)
    assert.deepStrictEqual(Spelling.make({ gas: "both" }), { coin: "coin", gas: "both", feePayer: "feePayer" })
  })

  it("of the public clients has the words they were seen to send", () => {
    assert.deepStrictEqual(Spelling.publicClients, { coin: "klay", gas: "gas", feePayer: "feePayer" })
  })

  it("has no other words", () => {
    const decode = Schema.decodeUnknownEither(Spelling.Spelling)
    assert.isTrue(Either.isRight(decode(Spelling.publicClients)))
    assert.isTrue(Either.isLeft(decode({ ...Spelling.document, coin: "kaia" })))
    assert.isTrue(Either.isLeft(decode({ ...Spelling.document, gas: "gas_limit" })))
    assert.isTrue(Either.isLeft(decode({ ...Spelling.document, feePayer: "payer" })))
  })
})
