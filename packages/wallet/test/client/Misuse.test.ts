import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as Pool from "../../src/Pool.js"
import type { SendPlan } from "../../src/SendPlan.js"
import * as SpendPolicy from "../../src/SpendPolicy.js"
import type * as Wallet from "../../src/Wallet.js"
import { has } from "../support/assertions.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, payer } = Records

// The rows hold what the types refuse, on purpose.
const untyped = <Input>(input: object): Input => input as Input

const good = { from: alice, to: bob, value: 1n, payer: FeeDelegation.service }

const sends: ReadonlyArray<readonly [name: string, input: object, path: ReadonlyArray<string>]> = [
  ["no payer", { payer: undefined }, ["payer"]],
  ["a payer that is an address", { payer }, ["payer"]],
  ["a payer of an unknown sort", { payer: { _tag: "SomebodyElse" } }, ["payer", "_tag"]],
  ["a user fee payer without an address", { payer: FeeDelegation.user("") }, ["payer", "address"]],
  ["the sender as payer, for which the document has no way", { payer: FeeDelegation.sender }, ["payer"]],
  ["a share of the fee, which the document does not have", { feeRatio: 50 }, ["feeRatio"]],
  ["a fee ratio of 0", { feeRatio: 0 }, ["feeRatio"]],
  ["a fee ratio of 100", { feeRatio: 100 }, ["feeRatio"]],
  ["an amount that is a number", { value: 1 }, ["value"]],
  ["an amount that is a text", { value: "0x1" }, ["value"]],
  ["a negative amount", { value: -1n }, ["value"]],
  ["an amount above 2^256 - 1", { value: 2n ** 256n }, ["value"]],
  ["no receiver", { to: "" }, ["to"]],
  ["a receiver with a digit too many", { to: `${bob}0` }, ["to"]],
  ["a receiver with a wrong checksum", { to: "0x71C7656EC7ab88b098defB751B7401B5f6d8976f" }, ["to"]],
  ["a receiver with a line break", { to: `${bob}\n` }, ["to"]],
  ["no sender", { from: undefined }, ["from"]],
  ["an empty memo", { memo: "" }, ["memo"]],
  ["a memo that is no text", { memo: 5 }, ["memo"]],
  ["a negative nonce", { nonce: -1 }, ["nonce"]],
  ["a nonce with a fraction", { nonce: 1.5 }, ["nonce"]],
  ["a nonce that a number can't hold", { nonce: 2 ** 53 }, ["nonce"]],
  ["a nonce that is a bigint", { nonce: 7n }, ["nonce"]],
  ["a gas limit of 0", { gasLimit: 0 }, ["gasLimit"]],
  ["submit as a text", { submit: "false" }, ["submit"]]
]

const lists: ReadonlyArray<readonly [name: string, input: object, path: ReadonlyArray<string>]> = [
  ["a negative size", { size: -1 }, ["size"]],
  ["a size with a fraction", { size: 1.5 }, ["size"]],
  ["a negative bound", { from: -1 }, ["from"]],
  ["a bound in milliseconds with a fraction", { to: 0.5 }, ["to"]],
  ["a bound as text", { to: "1600000000" }, ["to"]],
  ["a cursor that is no text", { cursor: 1 }, ["cursor"]]
]

/** The refusal of a call that must put nothing on the wire. */
const refused = <E>(
  call: (wallet: Wallet.Service) => Effect.Effect<unknown, E>,
  more?: Service.More
): Effect.Effect<InvalidInput, unknown> =>
  Effect.gen(function*() {
    const wire = Testing.wire()
    const error = yield* Effect.flip(call(yield* Service.wallet(wire, more)))
    assert.strictEqual(wire.sent.length, 0)
    const reason = (error as { readonly reason?: unknown }).reason ?? error
    has(reason as object, { _tag: "InvalidInput" })
    return reason as InvalidInput
  })

describe("before anything is sent", () => {
  it.effect.each(sends)("sendValue and plan refuse %s", ([, input, path]) =>
    Effect.gen(function*() {
      const given = untyped<Wallet.SendValueInput>({ ...good, ...input })
      for (const error of [yield* refused((_) => _.sendValue(given)), yield* refused((_) => _.plan(given))]) {
        assert.deepStrictEqual<unknown>(error.path, path)
        assert.strictEqual(error.operation, "wallet.sendValue")
        assert.notStrictEqual(error.problem, "")
      }
    }))

  it.effect.each(lists)("lists refuse %s", ([, input, path]) =>
    Effect.gen(function*() {
      const accounts = yield* refused((_) => _.getAccounts(untyped(input)))
      const feePayers = yield* refused((_) => _.getFeePayers(untyped(input)))
      assert.deepStrictEqual<unknown>([accounts.path, feePayers.path], [path, path])
    }))

  it.effect("getAccounts refuses an unknown status in words that name the known ones", () =>
    Effect.gen(function*() {
      const error = yield* refused((_) => _.getAccounts(untyped({ status: "gone" })))
      assert.strictEqual(error.problem, "a status is one of enabled, disabled, all and corrupted")
    }))

  it.effect("a payer that is missing is asked for in words", () =>
    Effect.gen(function*() {
      const error = yield* refused((_) => _.plan(untyped({ ...good, payer: null })))
      assert.include(error.problem, "FeeDelegation.service")
    }))

  it.effect("a pool of another chain is refused, by name, wherever it is given", () =>
    Effect.gen(function*() {
      const { mainnetPool } = Records
      const created = yield* refused((_) => Pool.withPool(_.createAccount, mainnetPool))
      assert.deepStrictEqual(created.path, ["pool"])
      assert.include(created.problem, "mainnet (8217)")
      const listed = yield* refused((_) => Pool.withPool(_.getAccounts({}), mainnetPool))
      assert.deepStrictEqual(listed.path, ["pool"])
      const sent = yield* refused((_) => Pool.withPool(_.sendValue(good), mainnetPool))
      assert.deepStrictEqual(sent.path, ["pool"])
      const payers = yield* refused((_) =>
        _.sendValue({ ...good, payer: FeeDelegation.user(payer) }).pipe(
          Pool.withPool(Records.pool),
          Pool.withFeePayerPool(mainnetPool)
        ), Service.withPaths)
      assert.deepStrictEqual(payers.path, ["feePayerPool"])
    }))

  it.effect("a pool that a header can't hold is refused", () =>
    Effect.gen(function*() {
      const odd = Object.assign({ ...Records.pool }, { resource: "p\r\nx-evil: 1" })
      const error = yield* refused((_) => Pool.withPool(_.createAccount, odd))
      assert.deepStrictEqual(error.path, ["pool"])
    }))

  it.effect("one of two pools is not enough where both are named", () =>
    Effect.gen(function*() {
      const send = (wallet: Wallet.Service) => wallet.sendValue({ ...good, payer: FeeDelegation.user(payer) })
      const account = yield* refused((_) => Pool.withPool(send(_), Records.pool), Service.withPaths)
      assert.deepStrictEqual(account.path, ["feePayerPool"])
      const feePayer = yield* refused((_) => Pool.withFeePayerPool(send(_), Records.feePayerPool), Service.withPaths)
      assert.deepStrictEqual(feePayer.path, ["pool"])
    }))

  it.effect("a plan or a record that is none is not sent", () =>
    Effect.gen(function*() {
      for (const plan of [undefined, null, 5, "plan", [], {}, { plan: undefined }, { plan: null }]) {
        const wire = Testing.wire()
        const wallet = yield* Service.wallet(wire)
        const error = yield* Effect.flip(wallet.execute(plan as unknown as SendPlan))
        has(error, { _tag: "NotSent", proof: "unsent" })
        assert.strictEqual(wire.sent.length, 0)
      }
    }))

  it.effect("a policy that is none is refused", () =>
    Effect.gen(function*() {
      for (const policy of [null, 5, "none"]) {
        const error = yield* Effect.flip(SpendPolicy.from(policy as unknown as SpendPolicy.Rules))
        has(error, { _tag: "InvalidInput", operation: "SpendPolicy.make" })
      }
    }))

  it.effect("a client without a base address for the wallet is refused", () =>
    Effect.gen(function*() {
      const endpoints = { history: "http://127.0.0.1:8080" }
      const error = yield* Effect.flip(Service.wallet(Testing.wire(), { endpoints }))
      has(error, { _tag: "InvalidInput", path: ["endpoints", "wallet"] })
    }))
})
