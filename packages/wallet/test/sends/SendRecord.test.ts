import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SendPlan from "../../src/SendPlan.js"
import * as SendRecord from "../../src/SendRecord.js"
import * as TransactionLookup from "../../src/TransactionLookup.js"
import { has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob } = Records

const Stored = Schema.parseJson(SendRecord.SendRecord)
const StoredPlan = Schema.parseJson(SendPlan.SendPlan)

const payment = { from: alice, to: bob, value: 10n ** 18n, payer: FeeDelegation.service }

/** As the package makes it, over contents in canonical form. */
const digestOf = (contents: SendPlan.Contents, preview: string): string => {
  const canonical = (value: unknown): string =>
    typeof value === "bigint"
      ? `${value}n`
      : typeof value === "object" && value !== null
      ? `{${
        Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => a < b ? -1 : 1).map((
          [name, field]
        ) => `"${name}":${canonical(field)}`).join(",")
      }}`
      : JSON.stringify(value)
  return createHash("sha256").update(canonical({ contents, preview })).digest("hex")
}

/** The account has sent 7 transactions. */
const chainAt7 = (): Chain.Chain => ({
  blocks: Array.from({ length: 7 }, (_, nonce) => [Chain.payment(nonce, { value: 5n })])
})

/** A later program: another client, which knows only the text that was stored. */
const settle = (wire: Testing.Wire, stored: string) =>
  Effect.gen(function*() {
    const lookup = yield* Service.lookup(wire, Service.withNode)
    return yield* Effect.flatMap(Schema.decode(Stored)(stored), TransactionLookup.reconcile).pipe(
      Effect.provideService(TransactionLookup.TransactionLookup, lookup)
    )
  })

describe("a plan in JSON", () => {
  it.effect("comes back as it was, frozen, with every kind of request", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const transactions = yield* Service.transactions(Testing.wire())
      const paid = { payer: FeeDelegation.sender, gasLimit: 5, nonce: 3 }
      const all = [
        yield* wallet.plan(payment),
        yield* wallet.plan({ ...payment, payer: FeeDelegation.user(bob), memo: "\u202e7", nonce: 0, submit: false }),
        yield* transactions.plan({
          request: { _tag: "Execute", from: alice, to: bob, input: "0x00", value: 1n },
          ...paid
        }),
        yield* transactions.plan({ request: { _tag: "Deploy", from: alice, input: "0x00" }, ...paid }),
        yield* transactions.plan({ request: { _tag: "Cancel", from: alice, nonce: 3 }, payer: FeeDelegation.sender }),
        yield* transactions.plan({
          request: { _tag: "AccountUpdate", from: alice, accountKey: { type: "AccountKeyLegacy" } },
          ...paid
        }),
        yield* transactions.plan({
          request: { _tag: "Rlp", rlp: "0x1234" },
          payer: FeeDelegation.service,
          feeRatio: 30
        })
      ]
      for (const plan of all) {
        const back = yield* Effect.flatMap(Schema.encode(StoredPlan)(plan), Schema.decode(StoredPlan))
        // JSON drops the fields that are undefined.
        assert.strictEqual(back.digest, plan.digest)
        assert.deepStrictEqual(
          JSON.stringify(Schema.encodeSync(StoredPlan)(back)),
          JSON.stringify(Schema.encodeSync(StoredPlan)(plan))
        )
        assert.isTrue(SendPlan.isUnchanged(back))
        assert.isTrue(Object.isFrozen(back) && Object.isFrozen(back.request))
      }
    }))

  it.effect("that was changed in any field can't be read", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const plan = yield* wallet.plan({ ...payment, nonce: 7 })
      const text = yield* Schema.encode(StoredPlan)(plan)
      const changed = [
        text.replace("\"1000000000000000000\"", "\"2000000000000000000\""),
        text.replace(bob, alice),
        text.replace("\"nonce\":7", "\"nonce\":8"),
        text.replace("1.5 KLAY", "1 KLAY").replace("testnet", "mainnet"),
        text.replace("ServiceFeePayer", "SenderPays"),
        text.replace("\"submit\":true", "\"submit\":false")
      ]
      for (const other of changed) {
        assert.notStrictEqual(other, text)
        assert.include(String(Either.getLeft(Schema.decodeEither(StoredPlan)(other))), "was changed after it was made")
      }
    }))

  it.effect("is executed by a later program, and refused by one for another host or chain", () =>
    Effect.gen(function*() {
      const before = yield* Service.wallet(Testing.wire())
      const text = yield* Schema.encode(StoredPlan)(yield* before.plan({ ...payment, nonce: 7 }))
      const wire = Testing.wire(Testing.json(200, { ...Records.result, nonce: 7 }))
      const after = yield* Service.wallet(wire)
      const plan = yield* Schema.decode(StoredPlan)(text)
      has(yield* after.execute(plan, plan.digest), { _tag: "Sent", nonce: 7 })
      assert.strictEqual(wire.sent.length, 1)
      const elsewhere = yield* Service.wallet(wire, { endpoints: { wallet: "http://127.0.0.1:9999" } })
      for (const refused of [elsewhere.execute(plan), elsewhere.prepare(plan)]) {
        assert.include(String(yield* Effect.flip<unknown, Error, never>(refused)), "was made for")
      }
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("that a later version would word differently is not executed, and is still looked up", () =>
    Effect.gen(function*() {
      const { digest: _, preview: __, _tag, ...contents } = yield* Effect.flatMap(
        Service.wallet(Testing.wire()),
        (wallet) => wallet.plan({ ...payment, nonce: 7 })
      )
      const reworded = { _tag, ...contents, preview: "Pay 1 KLAY" }
      const plan = { ...reworded, digest: digestOf(contents, reworded.preview) }
      const chain = chainAt7()
      chain.blocks.push([Chain.payment(7)])
      const wire = Chain.make(chain)
      has(yield* settle(wire, yield* Schema.encode(Stored)({ plan })), { _tag: "Executed", certainty: "nonce" })
      const wallet = yield* Service.wallet(wire, Service.withNode)
      has(yield* Effect.flip(wallet.execute(plan)), { _tag: "NotSent" })
      assert.strictEqual(Chain.toWallet(wire).length, 0)
    }))
})

describe("a send that was stored before it was made", () => {
  it.effect("is settled by a later program, with and without a nonce, and with nonce 0", () =>
    Effect.gen(function*() {
      for (const nonce of [7, undefined, 0]) {
        const chain = chainAt7()
        const wire = Chain.make(chain, () => Effect.interrupt)
        const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
        const record = yield* wallet.prepare(yield* wallet.plan({ ...payment, memo: "order 4711", nonce }))
        assert.deepStrictEqual(record.nonces, nonce === 7 ? undefined : { next: 7, afterWaiting: 7 })
        const stored = yield* Schema.encode(Stored)(record)
        // The program dies while it sends: it never learns how that ended.
        yield* Effect.exit(wallet.execute(record))
        assert.strictEqual(Chain.toWallet(wire).length, 1)
        has(yield* settle(wire, stored), { _tag: "NotExecuted", nextNonce: 7 })
        const memo = `0x${Buffer.from("order 4711").toString("hex")}`
        chain.blocks.push([Chain.payment(7, { input: memo, typeInt: 16 })])
        const verdict = yield* settle(wire, stored)
        has(verdict, { _tag: "Executed", certainty: nonce === 7 ? "nonce" : "content" })
        assert.deepStrictEqual(yield* settle(wire, stored), verdict)
      }
    }))

  it.effect("without a nonce is executed from its record, and asks for the nonces no second time", () =>
    Effect.gen(function*() {
      const wire = Chain.make(chainAt7(), Testing.text(502, ""))
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
      const record = yield* wallet.prepare(yield* wallet.plan(payment))
      const asked = wire.sent.length
      const end = yield* Effect.flip(wallet.execute(record))
      assert.strictEqual(wire.sent.length, asked + 1)
      assert.deepStrictEqual(end._tag === "SendUnknown" ? end.send : undefined, record)
    }))

  it.effect("ends as unknown with the plan that was sent, even if the caller changes its own copy meanwhile", () =>
    Effect.gen(function*() {
      const record = yield* Effect.flatMap(
        Service.wallet(Chain.make(chainAt7()), Service.withNode),
        (wallet) => Effect.flatMap(wallet.plan(payment), wallet.prepare)
      )
      const copy = structuredClone(record)
      const wire = Chain.make(chainAt7(), () => {
        Object.assign(copy.plan, { digest: "other" })
        return Effect.fail(Testing.networkError("ECONNRESET"))
      })
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
      const end = yield* Effect.flip(wallet.execute(copy))
      assert.deepStrictEqual(end._tag === "SendUnknown" ? end.send : undefined, record)
    }))

  it.effect("of a newer version is refused, and one without a version has version 1", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const plan = yield* wallet.plan({ ...payment, nonce: 7 })
      const stored = yield* Schema.encode(SendRecord.SendRecord)({ plan })
      const read = Schema.decodeUnknown(SendRecord.SendRecord)
      assert.strictEqual((yield* read(stored)).plan.digest, plan.digest)
      assert.strictEqual((yield* read({ ...stored, version: 1 })).plan.digest, plan.digest)
      assert.include((yield* Effect.flip(read({ ...stored, version: 2 }))).message, "version")
    }))

  it.effect("whose plan has the preview of an earlier version is executed, and with other words refused", () =>
    Effect.gen(function*() {
      const wire = Chain.make(chainAt7(), Testing.text(502, ""))
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
      const { _tag, digest: _, preview, ...contents } = yield* wallet.plan({ ...payment, nonce: 7 })
      const reworded = (text: string): SendPlan.SendPlan => ({
        _tag,
        ...contents,
        preview: text,
        digest: digestOf(contents, text)
      })
      const words = "charged to you later; the request names no fee payer"
      assert.include(preview, words)
      const earlier = preview.replace(words, "charged later; as the document says, by leaving the fee payer out")
      assert.strictEqual((yield* Effect.flip(wallet.execute(reworded(earlier))))._tag, "SendUnknown")
      assert.strictEqual(Chain.toWallet(wire).length, 1)
      const mixed = preview.replace(words, "charged later; the request names no fee payer")
      has(yield* Effect.flip(wallet.execute(reworded(mixed))), { _tag: "NotSent", proof: "unsent" })
      assert.strictEqual(Chain.toWallet(wire).length, 1)
    }))

  it.effect("that can't be read is refused before it is sent", () =>
    Effect.gen(function*() {
      const wire = Chain.make(chainAt7(), Testing.text(502, ""))
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
      const record = yield* wallet.prepare(yield* wallet.plan(payment))
      const wrong: ReadonlyArray<object> = [
        { nonces: null },
        { nonces: { next: "7", afterWaiting: 7 } },
        { nonces: { next: 7 } },
        { hash: "0x12" },
        { startedAt: "today" }
      ]
      for (const one of wrong) {
        has(yield* Effect.flip(wallet.execute({ ...record, ...one })), {
          _tag: "NotSent",
          proof: "unsent"
        })
      }
      assert.strictEqual(Chain.toWallet(wire).length, 0)
    }))

  it.effect("without a nonce is not prepared where the node can't be asked, since it could not be found again", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const plan = yield* wallet.plan(payment)
      assert.strictEqual((yield* Effect.flip(wallet.prepare(plan)))._tag, "LookupFailed")
      const keyed = yield* wallet.plan({ ...payment, nonce: 7 })
      assert.strictEqual((yield* wallet.prepare(keyed)).plan.digest, keyed.digest)
    }))
})
