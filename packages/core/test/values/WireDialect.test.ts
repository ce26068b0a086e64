import * as WireDialect from "@effect-klaytn/core/WireDialect"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("WireDialect", () => {
  it("is the document's unless a word is replaced", () => {
    assert.deepStrictEqual(WireDialect.make({}), { coin: "coin", gas: "gasLimit", feePayer: "feePayer" })
    assert.deepStrictEqual(WireDialect.make({}), WireDialect.document)
    assert.deepStrictEqual(WireDialect.make({ gas: "both" }), { coin: "coin", gas: "both", feePayer: "feePayer" })
  })

  it("of the public clients has the words they were seen to send", () => {
    assert.deepStrictEqual(WireDialect.publicClients, { coin: "klay", gas: "gas", feePayer: "feePayer" })
  })

  it("has no other words", () => {
    const decode = Schema.decodeUnknownEither(WireDialect.WireDialect)
    assert.isTrue(Either.isRight(decode(WireDialect.publicClients)))
    assert.isTrue(Either.isLeft(decode({ ...WireDialect.document, coin: "kaia" })))
    assert.isTrue(Either.isLeft(decode({ ...WireDialect.document, gas: "gas_limit" })))
    assert.isTrue(Either.isLeft(decode({ ...WireDialect.document, feePayer: "payer" })))
  })
})
