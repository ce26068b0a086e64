import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import type * as Resources from "../../src/Resources.js"
import { equal, has } from "../support/assertions.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { resource } = Records

const page = (items: ReadonlyArray<unknown>, cursor = "") => Testing.json(200, { items, cursor })

const noData = Testing.json(400, { code: 1071010, message: "data don't exist", requestId: "r" })

const other = {
  ...resource,
  chainId: 8217,
  default: false,
  krn: "krn:8217:metadata:local:metadata-storage:pics",
  resourceId: "pics",
  resourceType: "metadata-storage",
  serviceId: "metadata",
  extra: [1]
}

describe("the list of resources", () => {
  it.effect("asks its own address for a customer, with nothing that was left out", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page([]))
      const { getResources } = yield* Service.resources(wire)
      yield* getResources({ accountId: "local" })
      yield* getResources({ accountId: "a/b?c", from: 0, to: 0, cursor: "" })
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /resource/v1/resource/account/local",
        "GET /resource/v1/resource/account/a%2Fb%3Fc"
      ])
      assert.deepStrictEqual(wire.sent.map(({ headers }) => headers["x-chain-id"]), ["1001", "1001"])
      assert.isTrue(wire.sent.every(({ headers }) => headers["authorization"]?.startsWith("Basic ")))
      assert.isTrue(wire.sent.every(({ headers }) => headers["x-krn"] === undefined))
    }))

  it.effect("asks with bounds and filters", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page([]))
      const { getResources } = yield* Service.resources(wire)
      yield* getResources({
        accountId: "local",
        size: 10,
        cursor: "c",
        from: 1,
        to: 2,
        resourceType: "account-pool",
        serviceId: "wallet"
      })
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /resource/v1/resource/account/local?size=10&cursor=c&from-timestamp=1&to-timestamp=2" +
        "&resource-type=account-pool&service-id=wallet"
      ])
    }))

  it.effect("holds resources of both chains and of kinds that nobody knows", () =>
    Effect.gen(function*() {
      const { getResources } = yield* Service.resources(Testing.wire(page([resource, other], "next")))
      const { cursor, items: [pool, unknown] } = yield* getResources({ accountId: "local" })
      equal(pool?.krn, Records.pool)
      has(pool ?? {}, { default: true, resourceId: "payouts", createdAt: 1600000000 })
      has(unknown ?? {}, { chainId: 8217, default: false, resourceType: "metadata-storage", serviceId: "metadata" })
      equal(cursor, Option.some("next"))
    }))

  it.effect("is an empty page when there are none, and ends behind a page", () =>
    Effect.gen(function*() {
      const none = yield* Service.resources(Testing.wire(noData))
      equal(yield* none.getResources({ accountId: "local" }), { items: [], cursor: Option.none() })
      const wire = Testing.wire(page([resource], "x"), page([other], "y"), noData)
      const some = yield* Service.resources(wire)
      const items = yield* Stream.runCollect(some.getResources.items({ accountId: "local", size: 1 }))
      equal([...items].map(({ resourceId }) => resourceId), ["payouts", "pics"])
      assert.deepStrictEqual(Service.requests(wire).map((one) => one.split("?")[1]), [
        "size=1",
        "size=1&cursor=x",
        "size=1&cursor=y"
      ])
    }))

  it.effect("fails where another code says no, also the one of an empty list of the wallet", () =>
    Effect.gen(function*() {
      const refused = yield* Service.resources(Testing.wire(Service.refusal(1010009, "no")))
      yield* refused.getResources({ accountId: "local" }).pipe(Client.failsAs("Unauthorized"))
      const another = yield* Service.resources(Testing.wire(Service.noData))
      yield* another.getResources({ accountId: "local" }).pipe(Client.failsAs("NotFound"))
    }))

  it.effect("refuses what can't be asked before anything is sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const { getResources } = yield* Service.resources(wire)
      const bad: ReadonlyArray<readonly [field: string, input: Resources.ResourcesInput]> = [
        ["accountId", { accountId: "" }],
        ["accountId", { accountId: ".." }],
        ["accountId", { accountId: "\ud800" }],
        ["resourceType", { accountId: "local", resourceType: "" }],
        ["serviceId", { accountId: "local", serviceId: "" }],
        ["size", { accountId: "local", size: -1 }],
        ["from", { accountId: "local", from: 1.5 }]
      ]
      for (const [field, input] of bad) {
        const error = yield* getResources(input).pipe(Client.failsAs("InvalidInput"))
        assert.deepStrictEqual(error.path, [field])
        assert.strictEqual(error.operation, "resource.getResources")
      }
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("needs an address of its own, and names its variable", () =>
    Effect.gen(function*() {
      const error = yield* Service.resources(Testing.wire(), { endpoints: { wallet: Service.base } }).pipe(
        Client.failsAs("InvalidInput")
      )
      assert.include(error.message, "KLAYTN_RESOURCE_URL")
    }))
})
