import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import { ask, refusal } from "./support/wire.js"

const accountId = "f1a2b3c4-0000-4000-8000-000000000000"
const krn = `krn:1001:wallet:${accountId}:key-pool:default`
const digest = `0x${"ab".repeat(32)}`

const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>) =>
  Effect.provide(test, Sandbox.layer({ seed: "keys", accountId }))

const noData = [400, 1061010, "data don't exist", true]

const create = (size: number) => Effect.map(ask("POST", "/v2/key", { size }), ({ body }) => body.items)

describe("Keys of the wallet", () => {
  it.effect("are made as many as asked, in one pool, each with a sealed secret", () =>
    run(Effect.gen(function*() {
      const { body, status } = yield* ask("POST", "/v2/key", { size: 100 })
      assert.deepStrictEqual([status, Object.keys(body), body.items.length], [200, ["items"], 100])
      for (const key of body.items) {
        assert.deepStrictEqual(Object.keys(key).toSorted(), ["blob", "keyId", "krn", "publicKey"])
        assert.deepStrictEqual(key.krn, krn)
        assert.match(key.keyId, new RegExp(`^${krn}:0x[0-9a-f]{64}$`))
        assert.match(key.publicKey, /^0x04[0-9a-f]{128}$/)
        assert.match(key.blob, /^0x(?:[0-9a-f]{2}){60}$/)
      }
      assert.deepStrictEqual(new Set(body.items.map((key: { readonly keyId: string }) => key.keyId)).size, 100)
    })))

  it.effect("are one when nothing is said, and never none or more than a hundred", () =>
    run(Effect.gen(function*() {
      assert.deepStrictEqual((yield* ask("POST", "/v2/key", {})).body.items.length, 1)
      assert.deepStrictEqual((yield* ask("POST", "/v2/key")).body.items.length, 1)
      const range = [400, 1061615, "its value is out of range; size", false]
      for (const size of [101, -1, 1.5, "10", 1e300]) {
        assert.deepStrictEqual(refusal(yield* ask("POST", "/v2/key", { size })), range)
      }
      const empty = [400, 1061608, "cannot be empty or zero value; size", false]
      for (const size of [0, null]) assert.deepStrictEqual(refusal(yield* ask("POST", "/v2/key", { size })), empty)
    })))

  it.effect("sign 32 bytes so that anybody can recover the key", () =>
    run(Effect.gen(function*() {
      const [key] = yield* create(1)
      for (const id of [encodeURIComponent(key.keyId), key.keyId]) {
        const { body, status } = yield* ask("POST", `/v2/key/${id}/sign`, { data: digest })
        assert.deepStrictEqual([status, Object.keys(body)], [200, ["signedData"]])
        assert.match(body.signedData, /^0x[0-9a-f]{128}0[01]$/)
        const bytes = Buffer.from(body.signedData.slice(2), "hex")
        const recovered = noble.recover(Buffer.from(digest.slice(2), "hex"), {
          rs: bytes.subarray(0, 64),
          recovery: bytes[64] ?? 9
        })
        assert.deepStrictEqual(`0x${Buffer.from(recovered ?? []).toString("hex")}`, key.publicKey)
      }
      const sign = (data: unknown) => ask("POST", `/v2/key/${key.keyId}/sign`, { data })
      assert.deepStrictEqual(
        refusal(yield* sign(digest.slice(0, -2))),
        [400, 1061615, "its value is out of range; data", false]
      )
      assert.deepStrictEqual(
        refusal(yield* sign("ab")),
        [400, 1061607, "it has to start with '0x' and allows [0-9a-fA-F]; data", false]
      )
      assert.deepStrictEqual(
        refusal(yield* sign(undefined)),
        [400, 1061608, "cannot be empty or zero value; data", false]
      )
    })))

  it.effect("are listed without their secret, newest first, page by page", () =>
    run(Effect.gen(function*() {
      const made = (yield* create(5)).map((key: { readonly keyId: string }) => key.keyId).toReversed()
      const page = (size: number, cursor = "") =>
        Effect.map(
          ask("GET", `/v2/key?krn=${encodeURIComponent(krn)}&size=${size}&cursor=${encodeURIComponent(cursor)}`),
          ({ body }) => body
        )
      const first = yield* page(3)
      assert.deepStrictEqual(Object.keys(first.items[0]).toSorted(), ["keyId", "krn", "publicKey"])
      assert.deepStrictEqual(first.items.map((key: { readonly keyId: string }) => key.keyId), made.slice(0, 3))
      assert.deepStrictEqual(JSON.parse(Buffer.from(first.cursor, "base64").toString()), {
        Address: made[2],
        Type: "Key",
        key_pool: krn
      })
      const rest = yield* page(3, first.cursor)
      assert.deepStrictEqual(rest.items.map((key: { readonly keyId: string }) => key.keyId), made.slice(3))
      assert.deepStrictEqual(rest.cursor, "")
      const elsewhere = `/v2/key?krn=${krn.replace("key-pool", "account-pool")}&cursor=${
        encodeURIComponent(first.cursor)
      }`
      assert.deepStrictEqual(
        refusal(yield* ask("GET", elsewhere)),
        [400, 1061615, "its value is out of range; cursor", false]
      )
    })))

  it.effect("are got whole, and gone when they are deleted", () =>
    run(Effect.gen(function*() {
      const [key] = yield* create(1)
      const path = `/v2/key/${encodeURIComponent(key.keyId)}`
      assert.deepStrictEqual(yield* ask("GET", path), { status: 200, body: key })
      assert.deepStrictEqual(yield* ask("DELETE", path), { status: 200, body: { status: "deleted" } })
      assert.deepStrictEqual(refusal(yield* ask("GET", path)), noData)
      assert.deepStrictEqual(refusal(yield* ask("DELETE", path)), noData)
      assert.deepStrictEqual(refusal(yield* ask("POST", `${path}/sign`, { data: digest })), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/key?krn=${krn}`)), noData)
    })))

  it.effect("are not there under another pool, chain or form", () =>
    run(Effect.gen(function*() {
      const [key] = yield* create(1)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/key/${key.keyId.replace("default", "none")}`)), noData)
      assert.deepStrictEqual(
        refusal(yield* ask("GET", `/v2/key/${key.keyId}`, undefined, { "x-chain-id": "8217" })),
        noData
      )
      assert.deepStrictEqual(
        refusal(yield* ask("GET", "/v2/key/something")),
        [400, 1061010, "data don't exist; something", true]
      )
      assert.deepStrictEqual(
        refusal(yield* ask("GET", "/v2/key")),
        [400, 1061608, "cannot be empty or zero value; krn", false]
      )
      assert.deepStrictEqual(
        refusal(yield* ask("GET", "/v2/key?krn=pool")),
        [400, 1061615, "its value is out of range; krn", false]
      )
      const none = krn.replace("default", "none")
      assert.deepStrictEqual(
        refusal(yield* ask("GET", `/v2/key?krn=${none}`)),
        [400, 1061010, `data don't exist; ${none}`, true]
      )
    })))
})
