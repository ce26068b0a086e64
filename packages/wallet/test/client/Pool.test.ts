import * as Krn from "@effect-klaytn/core/Krn"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as Pool from "../../src/Pool.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, payer } = Records

const named = (name: string) => Either.getOrThrow(Krn.make(`krn:1001:wallet:local:account-pool:${name}`))

const value = { from: alice, to: bob, value: 1n, payer: FeeDelegation.service }

/** Every call that can name an account pool in a header. */
const calls = (wire: Testing.Wire, more?: Service.More) =>
  Effect.gen(function*() {
    const wallet = yield* Service.wallet(wire, more)
    const ofPaths = yield* Service.wallet(wire, { ...more, ...Service.withPaths })
    const additions = yield* Service.administration(wire, more)
    const transactions = yield* Service.transactions(wire, { ...more, ...Service.withPaths })
    const listed: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      wallet.createAccount,
      wallet.sendValue(value),
      ofPaths.sendValue({ ...value, payer: FeeDelegation.user(payer) }),
      additions.getAccount({ address: alice }),
      additions.createFeePayer(),
      additions.countAccountsInPool,
      transactions.send({ request: { _tag: "Value", from: alice, to: bob, value: 1n }, payer: FeeDelegation.sender })
    ]
    const unlisted: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      wallet.getAccounts({}),
      wallet.getFeePayers({}),
      Stream.runDrain(wallet.createKeys(1)),
      Stream.runDrain(wallet.registerAccounts([{ keyId: Records.key().keyId, address: alice }])),
      Stream.runDrain(wallet.getAccounts.items({}))
    ]
    return { listed, unlisted }
  })

/** What a call was refused with, whichever way it is told. */
const refusal = (call: Effect.Effect<unknown, unknown>) =>
  Effect.map(
    Effect.flip(call),
    (error) =>
      typeof error === "object" && error !== null && "reason" in error && "_tag" in error && error._tag === "NotSent"
        ? error.reason
        : error
  )

const isInput = (error: unknown): void => {
  assert.deepInclude(error, { _tag: "InvalidInput", path: ["pool"] })
  assert.include(String(error), "printable ASCII")
}

describe("a pool whose name no header can hold", () => {
  const names = ["münze", "池", "pay\u200bouts", "😀", "\u0130", "e\u0301"]
  for (const name of names) {
    it.effect(`${JSON.stringify(name)} is refused by every call that would name it, before anything is sent`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire()
        const { listed, unlisted } = yield* calls(wire)
        for (const call of [...listed, ...unlisted]) isInput(yield* refusal(Pool.withPool(call, named(name))))
        const configured = yield* calls(wire, { pool: named(name) })
        for (const call of configured.listed) isInput(yield* refusal(call))
        assert.strictEqual(wire.sent.length, 0)
      }))
  }

  it.effect("does not hinder calls that do not name it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { items: [], cursor: "" }))
      const wallet = yield* Service.wallet(wire, { pool: named("münze") })
      yield* wallet.getAccounts({})
      yield* Pool.withPool(wallet.createAccount, named("payouts")).pipe(Effect.either)
      assert.deepStrictEqual(wire.sent.map(({ headers }) => headers["x-krn"]), [undefined, Records.poolText])
    }))

  it.effect("is refused as the fee payer's pool too", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const wallet = yield* Service.wallet(wire, { pool: named("payouts"), ...Service.withPaths })
      const error = yield* refusal(
        wallet.sendValue({ ...value, payer: FeeDelegation.user(payer) }).pipe(
          Pool.withFeePayerPool(Either.getOrThrow(Krn.make("krn:1001:wallet:local:feepayer-pool:gebühr")))
        )
      )
      assert.deepInclude(error, { _tag: "InvalidInput", path: ["feePayerPool"] })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("can be asked for in a query, where any text can stand", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { items: [], cursor: "" }))
      const additions = yield* Service.administration(wire)
      yield* additions.getKeys({ pool: named("münze") })
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /wallet/v2/key?krn=krn%3A1001%3Awallet%3Alocal%3Aaccount-pool%3Am%C3%BCnze"
      ])
    }))
})

describe("a pool of another chain", () => {
  it.effect("is refused by every call, before anything is sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const { listed, unlisted } = yield* calls(wire)
      for (const call of [...listed, ...unlisted]) {
        const error = yield* refusal(Pool.withPool(call, Records.mainnetPool))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["pool"] })
      }
      assert.strictEqual(wire.sent.length, 0)
    }))
})

describe("a pool of a stream", () => {
  it.effect("is that of each of its pages", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Testing.json(200, { items: [Records.account], cursor: "x" }),
        Testing.json(200, { items: [Records.account], cursor: "" })
      )
      const wallet = yield* Service.wallet(wire)
      yield* Stream.runDrain(Pool.withStreamPool(wallet.getAccounts.items({}), Records.pool))
      assert.deepStrictEqual(wire.sent.map(({ headers }) => headers["x-krn"]), [Records.poolText, Records.poolText])
      const refused = wallet.getAccounts.items({}).pipe(Pool.withStreamPool(named("münze")), Stream.runDrain)
      yield* refused.pipe(Client.failsAs("InvalidInput"))
      assert.strictEqual(wire.sent.length, 2)
    }))
})
