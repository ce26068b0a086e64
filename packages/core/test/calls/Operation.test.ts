import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Operation from "@effect-klaytn/core/Operation"
import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const { get, post } = Operation.of("history")

const readThing = get("readThing", "/v2/thing/:id", {
  path: { id: Schema.String },
  success: Schema.String,
  errors: [ErrorBody.NotFound],
  safety: "once"
})
const listThings = get("listThings", "/v2/thing", { success: Schema.Array(Schema.String) })
const addThing = post("addThing", "/v2/thing", {
  payload: Schema.Struct({ name: Schema.String }),
  success: Schema.String
})

describe("an operation", () => {
  it("knows its full name, its route, and the parts of its request that it has", () => {
    assert.deepInclude(readThing, { name: "history.readThing", id: "readThing", route: "/v2/thing/{id}" })
    assert.deepStrictEqual([readThing, listThings, addThing].map(({ request }) => Object.keys(request)), [
      ["path"],
      [],
      ["payload"]
    ])
  })

  it("is safe if it is a GET, whatever it is declared as; any other is made once unless it says more", () => {
    assert.deepStrictEqual([readThing, listThings, addThing].map(({ safety }) => safety), ["safe", "safe", "once"])
    assert.strictEqual(Operation.withSafety(addThing, "keyed").safety, "keyed")
    assert.strictEqual(addThing.safety, "once")
  })

  it("declares no failures unless it is given some", () => {
    assert.deepStrictEqual([readThing, listThings].map(({ errors }) => errors), [[ErrorBody.NotFound], []])
  })

  it("has the failures of its group, and its own besides", () => {
    const group = Operation.of("history", [ErrorBody.BadRequest])
    const plain = group.get("plain", "/v2/plain", { success: Schema.String })
    const more = group.get("more", "/v2/more", { success: Schema.String, errors: [ErrorBody.NotFound] })
    assert.deepStrictEqual([plain, more].map(({ errors }) => errors), [
      [ErrorBody.BadRequest],
      [ErrorBody.BadRequest, ErrorBody.NotFound]
    ])
  })
})

describe("a contract", () => {
  const contract = { readThing, more: { listThings, addThing }, Thing: Schema.String, size: 7 }

  it("has the operations that it exports, alone or together, by their names", () => {
    assert.deepStrictEqual(Operation.all(contract).map(({ id }) => id), ["addThing", "listThings", "readThing"])
  })

  it("is printed with the failures of each operation and those of access", () => {
    const { paths } = OpenApi.fromApi(OperationApi.api("things", contract))
    assert.deepStrictEqual(Object.keys(paths["/v2/thing/{id}"]?.get?.responses ?? {}), ["200", "400", "401", "404"])
    assert.deepStrictEqual(Object.keys(paths["/v2/thing"]?.post?.responses ?? {}), ["200", "400", "401"])
  })
})
