import * as Dialect from "@effect-klaytn/core/Dialect"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("Dialect", () => {
  it("is the document's unless a word is replaced", () => {
    assert.deepStrictEqual(Dialect.make({}), { coin: "coin", gas: "gasLimit", feePayer: "feePayer" })
    assert.deepStrictEqual(Dialect.make({}), Dialect.document)
    assert.deepStrictEqual(Dialect.make({ gas: "both" }), { coin: "coin", gas: "both", feePayer: "feePayer" })
  })

  it("of the public clients has the words they were seen to send", () => {
    assert.deepStrictEqual(Dialect.publicClients, { coin: "klay", gas: "gas", feePayer: "feePayer" })
  })

  it("has no other words", () => {
    const decode = Schema.decodeUnknownEither(Dialect.Dialect)
    assert.isTrue(Either.isRight(decode(Dialect.publicClients)))
    assert.isTrue(Either.isLeft(decode({ ...Dialect.document, coin: "kaia" })))
    assert.isTrue(Either.isLeft(decode({ ...Dialect.document, gas: "gas_limit" })))
    assert.isTrue(Either.isLeft(decode({ ...Dialect.document, feePayer: "payer" })))
  })
})
