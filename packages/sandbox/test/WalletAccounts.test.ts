import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sandbox from "../src/Sandbox.js"
import { ask, control, refusal } from "./support/wire.js"

const second = 1_600_000_000
const clock = { start: second, step: 1 }
const accountId = "f1a2b3c4-0000-4000-8000-000000000000"
const krn = `krn:1001:wallet:${accountId}:account-pool:default`
const payers = `krn:1001:wallet:${accountId}:feepayer-pool:default`
const somebody = "0x1111111111111111111111111111111111111111"

const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>, options: Sandbox.Options = {}) =>
  Effect.provide(test, Sandbox.layer({ seed: "wallet", clock, accountId, ...options }))

const create = (headers?: Record<string, string>, path = "/v2/account") =>
  Effect.map(ask("POST", path, undefined, headers), ({ body }) => body)

/** The addresses of a list, or the code of a refusal. */
const listed = (path: string, headers?: Record<string, string>) =>
  Effect.map(
    ask("GET", path, undefined, headers),
    ({ body, status }) =>
      status === 200 ? body.items.map((one: { readonly address: string }) => one.address) : body.code
  )

const noData = [400, 1061010, "data don't exist", true]

describe("Accounts of the wallet", () => {
  it.effect("are made with a key pair of their own, whole to the letter", () =>
    run(Effect.gen(function*() {
      const answer = yield* ask("POST", "/v2/account")
      assert.deepStrictEqual(answer, {
        status: 200,
        body: {
          address: "0xDBdeCbB4572ad58Ce2430EA07F8B63F4eEFb4297",
          chainId: 1001,
          createdAt: second,
          keyId: `${krn}:0xb150391d9a9bb7b0f1c4369a136707cc783186a20c870c1c3fce7b0b3a0a2829`,
          krn,
          publicKey: "0x049d8d5abc4f82d49d4b5b908d82d7983c33a3bd067ab9db972887e7a3318869d" +
            "07fe3d6712cfd3ea379e3d3af5dcace62a022eda2d6a337b484dfc1358c0ed88a",
          updatedAt: second
        }
      })
      const derived = PublicKey.toAddress(answer.body.publicKey)
      assert.deepStrictEqual(derived.ok && derived.value, answer.body.address.toLowerCase())
      assert.deepStrictEqual(yield* ask("GET", `/v2/account/${answer.body.address}`), answer)
      assert.deepStrictEqual(yield* ask("GET", `/v2/account/${answer.body.address.toLowerCase()}`), answer)
    })))

  it.effect("are listed on from a cursor whose padding is not escaped", () =>
    run(
      Effect.gen(function*() {
        const padded: Array<string> = []
        for (const pool of ["p", "pp", "ppp"]) {
          const headers = { "x-krn": `krn:1001:wallet:${accountId}:account-pool:${pool}` }
          const [first, second] = [yield* create(headers), yield* create(headers)]
          const { body } = yield* ask("GET", "/v2/account?size=1", undefined, headers)
          assert.strictEqual(body.items[0].address, second.address)
          assert.deepStrictEqual(yield* listed(`/v2/account?size=1&cursor=${body.cursor}`, headers), [first.address])
          if (body.cursor.endsWith("=")) padded.push(pool)
        }
        assert.strictEqual(padded.length, 2)
      }),
      { pools: ["p", "pp", "ppp"] }
    ))

  it.effect("are not listed by a parameter with a second question mark", () =>
    run(Effect.gen(function*() {
      yield* create()
      assert.deepStrictEqual(refusal(yield* ask("GET", "/v2/account?size=1?2"))[1], 1061615)
    })))

  it.effect("are made with an empty object for a body too, and differ", () =>
    run(Effect.gen(function*() {
      const { body: one, status } = yield* ask("POST", "/v2/account", {})
      const other = yield* create()
      assert.deepStrictEqual(status, 200)
      assert.notStrictEqual(one.address, other.address)
      assert.notStrictEqual(one.keyId, other.keyId)
    })))

  it.effect("come page by page, newest first, and the cursor names the last one in base64", () =>
    run(Effect.gen(function*() {
      const made: Array<string> = []
      for (let i = 0; i < 5; i++) made.unshift((yield* create()).address)
      assert.deepStrictEqual(yield* listed("/v2/account"), made)
      const { body: first } = yield* ask("GET", "/v2/account?size=2")
      assert.deepStrictEqual(first.items.map((one: { readonly address: string }) => one.address), made.slice(0, 2))
      assert.deepStrictEqual(JSON.parse(Buffer.from(first.cursor, "base64").toString()), {
        Address: `${krn}:${made[1]}`,
        Type: "ACC",
        created_at: second,
        rpn: krn
      })
      const { body: next } = yield* ask("GET", `/v2/account?size=2&cursor=${encodeURIComponent(first.cursor)}`)
      assert.deepStrictEqual(next.items.map((one: { readonly address: string }) => one.address), made.slice(2, 4))
      yield* ask("DELETE", `/v2/account/${made[3]}`)
      const { body: last } = yield* ask("GET", `/v2/account?size=2&cursor=${encodeURIComponent(next.cursor)}`)
      assert.deepStrictEqual(last.items.map((one: { readonly address: string }) => one.address), made.slice(4))
      assert.deepStrictEqual(last.cursor, "")
    })))

  it.effect("are found between two times, both included; 0 and nothing are no bound", () =>
    run(Effect.gen(function*() {
      const { address: early } = yield* create()
      yield* control("POST", "/chains/1001/time", { seconds: 100 })
      const { address: late } = yield* create()
      const between = (from: string, to: string) => listed(`/v2/account?from-timestamp=${from}&to-timestamp=${to}`)
      assert.deepStrictEqual(yield* between("0", "0"), [late, early])
      assert.deepStrictEqual(yield* between("", ""), [late, early])
      assert.deepStrictEqual(yield* between(`${second}`, `${second}`), [early])
      assert.deepStrictEqual(yield* between(`${second + 1}`, ""), [late])
      assert.deepStrictEqual(yield* between(`${second + 100}`, `${second + 100}`), [late])
      assert.deepStrictEqual(yield* between("", `${second + 99}`), [early])
      assert.deepStrictEqual(yield* between(`${second + 1}`, `${second + 99}`), 1061010)
    })))

  it.effect("are a lack of data, where there is none to list or to get", () =>
    run(Effect.gen(function*() {
      assert.deepStrictEqual(refusal(yield* ask("GET", "/v2/account")), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", "/v2/feepayer")), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/account/${somebody}`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("DELETE", `/v2/account/${somebody}`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/feepayer/${somebody}`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("DELETE", `/v2/feepayer/${somebody}`)), noData)
    })))

  it.effect("are disabled and enabled once each, listed by what they are", () =>
    run(Effect.gen(function*() {
      const { address: kept } = yield* create()
      const { address } = yield* create()
      yield* control("POST", "/chains/1001/time", { seconds: 7 })
      const off = yield* ask("PUT", `/v2/account/${address}/disable`)
      assert.deepStrictEqual(off, { status: 200, body: { address, krn, updatedAt: second + 7 } })
      const twice = [400, 1061510, "account has been already deleted or disabled", true]
      assert.deepStrictEqual(refusal(yield* ask("PUT", `/v2/account/${address}/disable`)), twice)
      assert.deepStrictEqual(refusal(yield* ask("PUT", `/v2/account/${somebody}/disable`)), twice)
      assert.deepStrictEqual(yield* listed("/v2/account"), [kept])
      assert.deepStrictEqual(yield* listed("/v2/account?status=enabled"), [kept])
      assert.deepStrictEqual(yield* listed("/v2/account?status=disabled"), [address])
      assert.deepStrictEqual(yield* listed("/v2/account?status=all"), [address, kept])
      assert.deepStrictEqual(yield* listed("/v2/account?status=corrupted"), 1061010)
      const on = yield* ask("PUT", `/v2/account/${address}/enable`)
      assert.deepStrictEqual(on, { status: 200, body: { address, krn, updatedAt: second + 7 } })
      const already = [400, 1061511, "account has been already deleted or enabled", true]
      assert.deepStrictEqual(refusal(yield* ask("PUT", `/v2/account/${address}/enable`)), already)
      assert.deepStrictEqual(refusal(yield* ask("PUT", `/v2/account/${somebody}/enable`)), already)
      assert.deepStrictEqual(yield* listed("/v2/account"), [address, kept])
    })))

  it.effect("are gone when they are deleted", () =>
    run(Effect.gen(function*() {
      const { address, keyId, publicKey } = yield* create()
      const answer = yield* ask("DELETE", `/v2/account/${address}`)
      assert.deepStrictEqual(answer, { status: 200, body: { status: "deleted" } })
      assert.deepStrictEqual(refusal(yield* ask("DELETE", `/v2/account/${address}`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/account/${address}`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("PUT", `/v2/account/${address}/disable`))[1], 1061510)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/pubkey/${publicKey}/account`)), noData)
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/key/${encodeURIComponent(keyId)}`)), noData)
      assert.deepStrictEqual(yield* listed("/v2/account?status=all"), 1061010)
    })))

  it.effect("are found by their public key, in either form", () =>
    run(Effect.gen(function*() {
      const { address, publicKey } = yield* create()
      const found = { status: 200, body: { items: [{ address, chainId: 1001 }] } }
      assert.deepStrictEqual(yield* ask("GET", `/v2/pubkey/${publicKey}/account`), found)
      const compressed = PublicKey.compress(publicKey)
      assert.deepStrictEqual(yield* ask("GET", `/v2/pubkey/${compressed.ok && compressed.value}/account`), found)
    })))

  it.effect("keep to their pool and their chain", () =>
    run(
      Effect.gen(function*() {
        const shop = `krn:1001:wallet:${accountId}:account-pool:shop`
        const here = yield* create()
        const there = yield* create({ "x-krn": shop })
        const main = yield* create({ "x-chain-id": "8217" })
        assert.deepStrictEqual(there.krn, shop)
        assert.match(there.keyId, new RegExp(`^${shop}:0x[0-9a-f]{64}$`))
        assert.deepStrictEqual([main.chainId, main.krn], [8217, krn.replace("1001", "8217")])
        assert.deepStrictEqual(yield* listed("/v2/account"), [here.address])
        assert.deepStrictEqual(yield* listed("/v2/account", { "x-krn": shop }), [there.address])
        assert.deepStrictEqual(yield* listed("/v2/account", { "x-chain-id": "8217" }), [main.address])
        const away = yield* ask("GET", `/v2/account/${there.address}`)
        assert.deepStrictEqual(refusal(away), noData)
        for (
          const unknown of [
            shop.replace("shop", "none"),
            shop.replace("1001", "8217"),
            "shop",
            shop.replace(/f1a2/, "f1a3")
          ]
        ) {
          const answer = yield* ask("POST", "/v2/account", undefined, { "x-krn": unknown })
          assert.deepStrictEqual(refusal(answer), [400, 1061010, `data don't exist; ${unknown}`, true])
        }
        const payersOfShop = shop.replace("account-pool", "feepayer-pool")
        const elsewhere: ReadonlyArray<readonly [method: string, path: string, krn: string]> = [
          ["POST", "/v2/account", payersOfShop],
          ["POST", "/v2/account", shop.replace("account-pool", "key-pool")],
          ["GET", "/v2/account", payersOfShop],
          ["GET", `/v2/account/${there.address}`, payersOfShop],
          ["DELETE", `/v2/account/${there.address}`, payersOfShop],
          ["PUT", `/v2/account/${there.address}/disable`, payersOfShop],
          ["GET", "/v2/stat/count/krn", payersOfShop],
          ["POST", "/v2/feepayer", shop],
          ["GET", "/v2/feepayer", shop],
          ["GET", `/v2/feepayer/${there.address}`, shop]
        ]
        for (const [method, path, krn] of elsewhere) {
          const answer = yield* ask(method, path, undefined, { "x-krn": krn })
          assert.deepStrictEqual(refusal(answer), [400, 1061010, `data don't exist; ${krn}`, true], `${method} ${path}`)
        }
        const both = yield* create({ "x-krn": `${payersOfShop}, ${shop}` })
        assert.strictEqual(both.krn, shop)
        assert.strictEqual(yield* listed("/v2/feepayer", { "x-krn": payersOfShop }), 1061010)
      }),
      { pools: ["shop"] }
    ))
})

describe("Fee payers of the wallet", () => {
  it.effect("can do nothing but pay fees, unless their key is left as it is", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const keyOf = (address: string) =>
        Effect.map(
          chains.chain(1001).account(`0x${address.slice(2).toLowerCase()}`),
          Option.map(({ key }) => key)
        )
      const bound = (yield* ask("POST", "/v2/feepayer")).body
      const { keyId, ...rest } = bound
      assert.deepStrictEqual(rest, {
        address: bound.address,
        chainId: 1001,
        createdAt: second,
        krn: payers,
        publicKey: bound.publicKey,
        updatedAt: second
      })
      assert.match(keyId, new RegExp(`^${payers}:0x[0-9a-f]{64}$`))
      const own = PublicKey.compress(bound.publicKey)
      assert.deepStrictEqual(
        yield* keyOf(bound.address),
        Option.some({
          type: "AccountKeyRoleBased",
          keys: [
            { type: "AccountKeyFail" },
            { type: "AccountKeyFail" },
            { type: "AccountKeyPublic", publicKey: own.ok ? own.value : "0x" }
          ]
        })
      )
      const free = (yield* ask("POST", "/v2/feepayer", { withoutAccountUpdate: true })).body
      assert.deepStrictEqual(yield* keyOf(free.address), Option.none())
      assert.deepStrictEqual(yield* listed("/v2/feepayer"), [free.address, bound.address])
      assert.deepStrictEqual((yield* ask("GET", `/v2/feepayer/${bound.address}`)).body, bound)
      assert.deepStrictEqual((yield* ask("DELETE", `/v2/feepayer/${free.address}`)).body, { status: "deleted" })
      assert.deepStrictEqual(yield* listed("/v2/feepayer"), [bound.address])
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/account/${bound.address}`)), noData)
    })))
})

describe("Counts and pools", () => {
  it.effect("are told with the customer they belong to", () =>
    run(
      Effect.gen(function*() {
        yield* create()
        yield* create()
        yield* ask("POST", "/v2/feepayer", { withoutAccountUpdate: true })
        yield* ask("POST", "/v2/key", { size: 3 })
        assert.deepStrictEqual((yield* ask("GET", "/v2/stat/count")).body, { accountId, count: 6 })
        assert.deepStrictEqual((yield* ask("GET", "/v2/stat/count/krn")).body, { accountId, count: 2, krn })
        const resources = `/v1/resource/account/${accountId}`
        const { body } = yield* ask("GET", `${resources}?resource-type=account-pool`)
        const pool = (chainId: number, resourceId: string) => ({
          accountId,
          chainId,
          createdAt: second,
          default: resourceId === "default",
          krn: `krn:${chainId}:wallet:${accountId}:account-pool:${resourceId}`,
          resourceId,
          resourceType: "account-pool",
          serviceId: "wallet"
        })
        assert.deepStrictEqual(body, {
          items: [pool(8217, "shop"), pool(8217, "default"), pool(1001, "shop"), pool(1001, "default")],
          cursor: ""
        })
        const page = (cursor: string) => ask("GET", `${resources}?size=5&cursor=${encodeURIComponent(cursor)}`)
        const { body: one } = yield* page("")
        const { body: two } = yield* page(one.cursor)
        const { body: three } = yield* page(two.cursor)
        const krns = [one, two, three].flatMap(({ items }) => items.map((item: { readonly krn: string }) => item.krn))
        assert.deepStrictEqual([one.items.length, two.items.length, three.items.length, three.cursor], [5, 5, 2, ""])
        assert.deepStrictEqual(new Set(krns).size, 12)
        const none = yield* ask("GET", "/v1/resource/account/somebody")
        assert.deepStrictEqual(refusal(none), [400, 1071010, "data don't exist", true])
      }),
      { pools: ["shop"] }
    ))
})
