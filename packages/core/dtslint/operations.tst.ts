import * as Operation from "@effect-klaytn/core/Operation"
import type * as Operations from "@effect-klaytn/core/Operations"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "tstyche"

declare const one: Operations.Operations["one"]

const text = Schema.optional(Schema.String)
const whole = Schema.optional(Schema.Number)

const operation = Operation.of("history").get("getThings", "/v2/thing/:id", {
  path: { id: Schema.String },
  urlParams: { color: text, "max-size": whole },
  success: Schema.String
})

const fields = { id: Schema.String, color: text }

/** The fields of an input, one of which no parameter is named after. */
const renamed = { ...fields, size: whole }

describe("the places of an input", () => {
  it("are complete by names, functions, other fields and what the client adds", () => {
    expect(one).type.toBeCallableWith(operation, renamed, { size: "max-size" })
    expect(one(operation, renamed, { size: (size) => ({ "max-size": size + 1 }) })).type
      .toBe<ReturnType<typeof one<typeof operation, typeof renamed, { size: "max-size" }>>>()
    one(operation, { ...renamed, unit: text }, {
      size: (size, { unit }) => ({ "max-size": unit === "pair" ? size * 2 : size }),
      unit: { with: "size" }
    })
    expect(one).type.toBeCallableWith(operation, fields, {}, { added: Effect.succeed({ "max-size": 2 }) })
  })

  it("do not leave out a field that no parameter is named after", () => {
    expect(one).type.not.toBeCallableWith(operation, { ...renamed, "ca-filter": text }, { size: "max-size" })
    expect(one).type.not.toBeCallableWith(operation, renamed, {})
    expect(one).type.not.toBeCallableWith(operation, { ...fields, "max-size": text }, {})
  })

  it("do not leave out a parameter of the contract", () => {
    expect(one).type.not.toBeCallableWith(operation, fields, {})
    expect(one).type.not.toBeCallableWith(operation, renamed, { size: () => ({ color: "red" }) })
    expect(one).type.not.toBeCallableWith(operation, { ...fields, "max-size": whole }, { "max-size": () => ({}) })
  })

  it("name parameters that exist, of the field's type, and fields that exist", () => {
    expect(one).type.not.toBeCallableWith(operation, { ...fields, size: text }, { size: "max-size" })
    expect(one).type.not.toBeCallableWith(operation, renamed, { size: "min-size" })
    expect(one).type.not.toBeCallableWith(operation, renamed, { size: "max-size", unit: "color" })
    expect(one).type.not.toBeCallableWith(operation, renamed, { size: { with: "unit" } })
    expect(one).type.not.toBeCallableWith(operation, renamed, {
      size: (size: number) => ({ "max-size": size, "min-size": size })
    })
  })
})
