import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Registration from "../../src/Registration.js"
import type * as Wallet from "../../src/Wallet.js"
import { has } from "../support/assertions.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const address = (index: number) => `0x${(index + 1).toString(16).padStart(40, "0")}`

const accounts = (count: number): ReadonlyArray<Wallet.RegistrationInput> =>
  Array.from({ length: count }, (_, index) => ({ keyId: Records.key(index).keyId, address: address(index) }))

/** What was told, and the failure of the stream if it failed. */
const register = (
  steps: ReadonlyArray<Testing.Step>,
  given: ReadonlyArray<Wallet.RegistrationInput>,
  chunkSize?: number
) =>
  Effect.gen(function*() {
    const wire = Testing.wire(...steps)
    const wallet = yield* Service.wallet(wire)
    const told: Array<Registration.RegistrationResult> = []
    const exit = yield* Effect.either(
      Stream.runForEach(wallet.registerAccounts(given, { chunkSize }), (one) => Effect.sync(() => told.push(one)))
    )
    return { told, tags: told.map(({ _tag }) => _tag), failure: exit._tag === "Left" ? exit.left : undefined, wire }
  })

const ok = Testing.json(200, { status: "ok" })

describe("registering accounts", () => {
  it.effect("tells of each one, whatever the case of the address in the answer", () =>
    Effect.gen(function*() {
      const keyId = Records.key(9).keyId
      const failures = { [Records.aliceChecksum]: "-32000::invalid transaction v, r, s values of the sender" }
      const partly = Testing.json(200, { status: "partially failed", failures })
      const { failure, told } = yield* register([partly], [...accounts(1), { keyId, address: Records.alice }])
      assert.strictEqual(failure, undefined)
      has(told[0] ?? {}, { _tag: "Registered", address: address(0) })
      has(told[1] ?? {}, { _tag: "NotRegistered", address: Records.alice, message: Object.values(failures)[0] })
    }))

  it.effect("takes all three statuses, and does not take another one for a success", () =>
    Effect.gen(function*() {
      const failures = Object.fromEntries(accounts(2).map((one) => [one.address, "no"]))
      const all = yield* register([Testing.json(200, { status: "all failed", failures })], accounts(2))
      assert.deepStrictEqual(all.tags, ["NotRegistered", "NotRegistered"])
      const odd = yield* register(
        [Testing.json(200, { status: "queued", failures: { [address(1)]: "no" } })],
        accounts(2)
      )
      assert.deepStrictEqual(odd.tags, ["Unclear", "NotRegistered"])
      has(odd.told[0] ?? {}, { status: "queued" })
      const silent = yield* register([Testing.json(200, { status: "all failed" })], accounts(1))
      assert.deepStrictEqual(silent.tags, ["Unclear"])
    }))

  it.effect("takes nobody for registered if it is not said which ones failed", () =>
    Effect.gen(function*() {
      for (const failures of [undefined, null, {}, { "account 2": "no" }]) {
        const { tags } = yield* register([Testing.json(200, { status: "partially failed", failures })], accounts(2))
        assert.deepStrictEqual(tags, ["Unclear", "Unclear"])
      }
    }))

  it.effect("goes in calls of 100, or of the size that is asked", () =>
    Effect.gen(function*() {
      const { tags, wire } = yield* register([ok], accounts(250))
      assert.strictEqual(tags.length, 250)
      assert.deepStrictEqual(wire.sent.map(({ body }) => JSON.parse(body ?? "[]").length), [100, 100, 50])
      const small = yield* register([ok], accounts(5), 2)
      assert.deepStrictEqual(small.wire.sent.map(({ body }) => JSON.parse(body ?? "[]").length), [2, 2, 1])
      const none = yield* register([ok], [])
      assert.strictEqual(none.wire.sent.length, 0)
    }))

  it.effect("goes on behind a call that is refused for its content", () =>
    Effect.gen(function*() {
      const unknownKey = Service.refusal(1061010, `data don't exist; ${Records.key(0).keyId}`)
      const { failure, tags, told } = yield* register([unknownKey, ok], accounts(3), 2)
      assert.deepStrictEqual([tags, failure], [["Refused", "Refused", "Registered"], undefined])
      assert.strictEqual(told[0]?._tag === "Refused" ? told[0].error._tag : "", "NotFound")
    }))

  it.effect("ends behind what is not known, which is made once only", () =>
    Effect.gen(function*() {
      const { failure, tags, wire } = yield* register([ok, Testing.text(502, ""), ok], accounts(6), 2)
      assert.deepStrictEqual(tags, ["Registered", "Registered", "Unclear", "Unclear"])
      assert.strictEqual(failure?._tag, "OutcomeUnknown")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("ends when the credential is not accepted", () =>
    Effect.gen(function*() {
      const { failure, tags } = yield* register([Testing.json(401, { code: 1010009, message: "no" })], accounts(3), 2)
      assert.deepStrictEqual([tags, failure?._tag], [["Refused", "Refused"], "Unauthorized"])
    }))

  const mainnetKey = Records.key().keyId.replace("1001", "8217")
  const { keyId } = Records.key()

  it.effect.each<readonly [name: string, given: ReadonlyArray<Wallet.RegistrationInput>, path: ReadonlyArray<unknown>]>(
    [
      ["an account twice", [...accounts(1), { keyId, address: address(0) }], [1, "address"]],
      ["a key of another chain", [{ keyId: mainnetKey, address: address(0) }], [0, "keyId"]],
      ["no key ID", [{ keyId: "key", address: address(0) }], [0, "keyId"]],
      ["no address", [{ keyId, address: "alice" }], [0, "address"]],
      ["an update of another account", [{ keyId, address: address(0), rlp: Old.rlp[1001] }], [0, "rlp"]],
      ["an update signed for another chain", [{ keyId, address: Old.oldAddress, rlp: Old.rlp[8217] }], [0, "rlp"]],
      ["no bytes", [{ keyId, address: address(0), rlp: "0x2" }], [0, "rlp"]]
    ]
  )("refuses %s before anything is sent", ([, given, path]) =>
    Effect.gen(function*() {
      const { failure, wire } = yield* register([ok], given)
      assert.strictEqual(failure?._tag, "InvalidInput")
      assert.deepStrictEqual<unknown>(failure?._tag === "InvalidInput" ? failure.path.slice(0, 2) : [], path)
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("takes the update of its own account and chain", () =>
    Effect.gen(function*() {
      const { tags } = yield* register([ok], [{ keyId, address: Old.oldChecksum, rlp: Old.rlp[1001] }])
      assert.deepStrictEqual(tags, ["Registered"])
    }))
})

describe("creating keys", () => {
  const answer: Testing.Step = (sent) => {
    const { size } = JSON.parse(sent.body ?? "{}")
    return Testing.json(200, { items: Array.from({ length: size }, (_, index) => Records.key(index)) })(sent)
  }

  const sizes = (wire: Testing.Wire) => wire.sent.map(({ body }) => JSON.parse(body ?? "{}").size)

  it.effect("asks for at most 100 at once, and for none when none are wanted", () =>
    Effect.gen(function*() {
      for (
        const [count, expected] of [[0, []], [1, [1]], [100, [100]], [101, [100, 1]], [250, [100, 100, 50]]] as const
      ) {
        const wire = Testing.wire(answer)
        const wallet = yield* Service.wallet(wire)
        assert.strictEqual(yield* Stream.runCount(wallet.createKeys(count)), count)
        assert.deepStrictEqual<unknown>(sizes(wire), expected)
      }
    }))

  it.effect("asks only as far as it is listened to", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answer)
      const wallet = yield* Service.wallet(wire)
      yield* Stream.runDrain(Stream.take(wallet.createKeys(1000), 150))
      assert.deepStrictEqual(sizes(wire), [100, 100])
    }))

  it.effect("delivers what was created before a later call fails, and never asks again by itself", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(answer, Testing.text(502, ""))
      const wallet = yield* Service.wallet(wire)
      let delivered = 0
      const failure = yield* Effect.flip(
        Stream.runForEach(wallet.createKeys(250), () => Effect.sync(() => delivered++))
      )
      assert.deepStrictEqual([delivered, failure._tag, wire.sent.length], [100, "OutcomeUnknown", 2])
    }))

  it.effect("goes on when fewer come than were asked for, and ends when none do", () =>
    Effect.gen(function*() {
      const some = Testing.json(200, { items: [Records.key(1), Records.key(2)] })
      const wire = Testing.wire(some, some, Testing.json(200, { items: [] }))
      const wallet = yield* Service.wallet(wire)
      const failure = yield* Effect.flip(Stream.runDrain(wallet.createKeys(5)))
      assert.deepStrictEqual([sizes(wire), failure._tag], [[5, 3, 1], "MalformedResponse"])
    }))

  it.effect.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses to create %d of them",
    (count) =>
      Effect.gen(function*() {
        const wallet = yield* Service.wallet(Testing.wire())
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(wallet.createKeys(count))))._tag, "InvalidInput")
      })
  )
})
