import type { Address } from "@effect-klaytn/core/Address"
import * as Addresses from "@effect-klaytn/core/Address"
import { InvalidInput, Rejected } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as NonceSource from "../../src/NonceSource.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import * as Chain from "../support/chain.js"
import { planOf } from "../support/plans.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, hash } = Records

const address: Address = Either.getOrThrow(Addresses.make(alice))

const source = (next: number | (() => number) = 5) =>
  NonceSource.make(() => Effect.sync(() => typeof next === "number" ? next : next()))

const sent = (nonce: number): SendOutcome.Sent => ({
  _tag: "Sent",
  transactionHash: hash as SendOutcome.Sent["transactionHash"],
  from: address,
  nonce,
  paidBy: { _tag: "NotKnown" },
  result: undefined,
  found: undefined
})

const refused = new SendOutcome.NotSent({
  reason: new InvalidInput({ operation: "test", retrySafe: true, attempts: [], path: [], problem: "refused" }),
  proof: "unsent"
})

const unknown = (nonce: number) =>
  new SendOutcome.SendUnknown({
    operation: "wallet.sendValue",
    address,
    nonce,
    send: { plan: planOf({ _tag: "Cancel", from: address, nonce }) },
    reason: "test",
    retrySafe: true
  })

const taken = (nonce: number) =>
  new SendOutcome.NotSent({
    reason: new SendOutcome.NonceTaken({
      nonce,
      by: {
        transactionHash: hash as never,
        from: address,
        nonce,
        typeInt: 8,
        to: undefined,
        value: 1n,
        input: "0x",
        key: undefined,
        feePayer: undefined,
        state: "succeeded"
      },
      content: "different",
      refusal: undefined
    }),
    proof: "block"
  })

const using = <A extends SendOutcome.Submission, E extends SendOutcome.NotSent | SendOutcome.SendUnknown>(
  nonces: NonceSource.Service,
  send: (nonce: number) => Effect.Effect<A, E>
) => Effect.provideService(NonceSource.withNonce(alice, send), NonceSource.NonceSource, nonces)

describe("a source of nonces", () => {
  it.effect("hands out each nonce once, from where the account stands", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      const first = yield* nonces.reserve(address)
      const second = yield* nonces.reserve(address)
      assert.deepStrictEqual([first, second], [5, 6])
      assert.deepStrictEqual(yield* nonces.report(address), { next: 7, open: [5, 6], unresolved: [], gaps: [] })
    }))

  it.effect("asks the chain once for an account, however many fibers begin with it", () =>
    Effect.gen(function*() {
      let asked = 0
      const nonces = yield* NonceSource.make(() =>
        Effect.yieldNow().pipe(Effect.zipRight(Effect.sync(() => (asked++, 3))))
      )
      const all = yield* Effect.all(Array.from({ length: 50 }, () => nonces.reserve(address)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual([...all].sort((a, b) => a - b), Array.from({ length: 50 }, (_, index) => index + 3))
    }))

  it.effect("does not hold up an account that is known while another one is read from the chain", () =>
    Effect.gen(function*() {
      const nonces = yield* NonceSource.make((asked) => asked === address ? Effect.succeed(5) : Effect.never)
      yield* nonces.reserve(address)
      yield* Effect.fork(nonces.reserve(Either.getOrThrow(Addresses.make(bob))))
      yield* TestClock.adjust("1 second")
      const known = yield* Effect.fork(nonces.reserve(address))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isSome(yield* Fiber.poll(known)))
    }))

  it.effect("asks again when the chain could not be asked", () =>
    Effect.gen(function*() {
      let asked = 0
      const nonces = yield* NonceSource.make(() =>
        asked++ === 0 ? Effect.fail(new SendOutcome.LookupFailed({ problem: "no node" })) : Effect.succeed(9)
      )
      assert.strictEqual((yield* Effect.flip(nonces.reserve(address)))._tag, "LookupFailed")
      assert.strictEqual(yield* nonces.reserve(address), 9)
    }))

  it.effect("hands out a released nonce before a new one, and tells of it as a gap until then", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* nonces.reserve(address)
      yield* nonces.reserve(address)
      yield* nonces.confirm(address, 6)
      yield* nonces.release(address, 5)
      assert.deepStrictEqual((yield* nonces.report(address)).gaps, [5])
      assert.strictEqual(yield* nonces.reserve(address), 5)
      assert.strictEqual(yield* nonces.reserve(address), 7)
      assert.deepStrictEqual((yield* nonces.report(address)).gaps, [])
    }))

  it.effect("keeps the nonces below one that it did not hand out as gaps, and fills them next", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* nonces.reserve(address)
      yield* nonces.confirm(address, 8)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 9, open: [5], unresolved: [], gaps: [6, 7] })
      assert.strictEqual(yield* nonces.reserve(address), 6)
    }))

  it.effect("hands out the lowest first of what was released, in whatever order that was", () =>
    Effect.gen(function*() {
      const nonces = yield* source(9)
      yield* Effect.replicateEffect(nonces.reserve(address), 4)
      yield* nonces.release(address, 11)
      yield* nonces.release(address, 9)
      yield* nonces.release(address, 10)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 13, open: [12], unresolved: [], gaps: [9, 10, 11] })
      assert.deepStrictEqual(yield* Effect.replicateEffect(nonces.reserve(address), 3), [9, 10, 11])
    }))

  it.effect("takes back what was released at the upper end", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* nonces.reserve(address)
      yield* nonces.reserve(address)
      yield* nonces.release(address, 5)
      yield* nonces.release(address, 6)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 5, open: [], unresolved: [], gaps: [] })
    }))

  it.effect("does not hand out twice what is released twice", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* nonces.reserve(address)
      yield* nonces.reserve(address)
      yield* nonces.release(address, 5)
      yield* nonces.release(address, 5)
      const both = [yield* nonces.reserve(address), yield* nonces.reserve(address)]
      assert.deepStrictEqual(both, [5, 7])
    }))

  it.effect("knows nothing of an account that it never handed out a nonce of, whatever is told of it", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* nonces.confirm(address, 7)
      yield* nonces.release(address, 7)
      yield* nonces.suspect(address, 7)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 0, open: [], unresolved: [], gaps: [] })
      assert.strictEqual(yield* nonces.reserve(address), 5)
    }))

  it.effect("keeps what is open or free at and above where the chain is, and does not suspect what was never handed out", () =>
    Effect.gen(function*() {
      let next = 5
      const nonces = yield* source(() => next)
      yield* Effect.replicateEffect(nonces.reserve(address), 5)
      yield* nonces.suspect(address, 5)
      yield* nonces.suspect(address, 7)
      yield* nonces.suspect(address, 30)
      yield* nonces.release(address, 6)
      yield* nonces.release(address, 8)
      next = 7
      yield* nonces.resync(address)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 10, open: [7, 9], unresolved: [7], gaps: [8] })
      next = 8
      yield* nonces.resync(address)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 10, open: [9], unresolved: [], gaps: [8] })
    }))

  it.effect("moves on to where the chain is, and no further back", () =>
    Effect.gen(function*() {
      let next = 5
      const nonces = yield* source(() => next)
      const first = yield* nonces.reserve(address)
      yield* nonces.suspect(address, first)
      next = 20
      yield* nonces.resync(address)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 20, open: [], unresolved: [], gaps: [] })
      next = 4
      yield* nonces.resync(address)
      assert.strictEqual(yield* nonces.reserve(address), 20)
    }))

  it.effect.prop(
    "never has a nonce in two hands, and accounts for each",
    [FastCheck.array(FastCheck.constantFrom("sent", "refused", "unknown", "dies"), { maxLength: 60 })],
    ([ends]) =>
      Effect.gen(function*() {
        const nonces = yield* source(1)
        const inHand = new Set<number>()
        const usedUp = new Set<number>()
        const open = new Set<number>()
        yield* Effect.forEach(ends, (end, index) =>
          Effect.exit(using(nonces, (nonce) =>
            Effect.gen(function*() {
              assert.isFalse(inHand.has(nonce) || usedUp.has(nonce) || open.has(nonce), `${nonce} is free`)
              inHand.add(nonce)
              for (let turn = 0; turn < index % 4; turn++) yield* Effect.yieldNow()
              inHand.delete(nonce)
              if (end === "sent") usedUp.add(nonce)
              if (end === "unknown" || end === "dies") open.add(nonce)
              if (end === "refused") return yield* refused
              if (end === "unknown") return yield* unknown(nonce)
              return yield* end === "dies" ? Effect.die("test") : Effect.succeed(sent(nonce))
            }))), { concurrency: 8 })
        const report = yield* nonces.report(address)
        assert.deepStrictEqual(report.unresolved, [...open].sort((a, b) => a - b))
        assert.deepStrictEqual(report.open, report.unresolved)
        const below = Array.from({ length: Math.max(0, report.next - 1) }, (_, index) => index + 1)
        if (ends.length > 0) {
          assert.deepStrictEqual(report.gaps, below.filter((nonce) => !usedUp.has(nonce) && !open.has(nonce)))
        }
      })
  )
})

describe("a send with a nonce of the source", () => {
  it.effect("settles it by how it ends", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      const end = (
        send: (nonce: number) => Effect.Effect<SendOutcome.Sent, SendOutcome.NotSent | SendOutcome.SendUnknown>
      ) => Effect.zipRight(Effect.exit(using(nonces, send)), nonces.report(address))
      assert.deepStrictEqual(yield* end((nonce) => Effect.succeed(sent(nonce))), {
        next: 6,
        open: [],
        unresolved: [],
        gaps: []
      })
      assert.strictEqual((yield* end(() => refused)).next, 6)
      assert.deepStrictEqual(yield* end((nonce) => Effect.fail(unknown(nonce))), {
        next: 7,
        open: [6],
        unresolved: [6],
        gaps: []
      })
      assert.deepStrictEqual((yield* end(() => Effect.interrupt)).unresolved, [6, 7])
      assert.deepStrictEqual((yield* end(() => Effect.die("test"))).unresolved, [6, 7, 8])
    }))

  it.effect("asks the chain nothing more when it went out with its nonce, or was refused for something else", () =>
    Effect.gen(function*() {
      let asked = 0
      const nonces = yield* source(() => (asked++, 5))
      yield* using(nonces, (nonce) => Effect.succeed(sent(nonce)))
      const reason = new Rejected({
        operation: "wallet.sendValue",
        retrySafe: true,
        attempts: [],
        status: 400,
        code: 1065100,
        serviceMessage: "failed to get an account"
      })
      yield* Effect.exit(using(nonces, () => new SendOutcome.NotSent({ reason, proof: "refused" })))
      assert.deepStrictEqual(yield* nonces.report(address), { next: 6, open: [], unresolved: [], gaps: [] })
      assert.strictEqual(asked, 1)
    }))

  it.effect("that is interrupted from outside leaves it unresolved", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        using(nonces, () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual((yield* nonces.report(address)).unresolved, [5])
    }))

  it.effect("that is interrupted beside a certain refusal leaves it unresolved", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      const both = Cause.parallel(Cause.fail(refused), Cause.interrupt(FiberId.none))
      yield* Effect.exit(using(nonces, () => Effect.failCause(both)))
      assert.deepStrictEqual((yield* nonces.report(address)).unresolved, [5])
    }))

  it.effect("that is interrupted while the source reserves gives back what is reserved after that", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      const begun = yield* Deferred.make<void>()
      const written = yield* Deferred.make<void>()
      const released = yield* Deferred.make<number>()
      // As a source in a database: the nonce is taken there before the answer is here.
      const slow: NonceSource.Service = {
        ...nonces,
        reserve: (address) =>
          nonces.reserve(address).pipe(
            Effect.zipLeft(Deferred.succeed(begun, undefined)),
            Effect.zipLeft(Deferred.await(written))
          ),
        release: (address, nonce) => Effect.zipRight(nonces.release(address, nonce), Deferred.succeed(released, nonce))
      }
      const fiber = yield* Effect.fork(using(slow, () => Effect.dieMessage("it was not to be sent")))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.succeed(written, undefined)
      assert.strictEqual(yield* Deferred.await(released), 5)
      assert.deepStrictEqual(yield* nonces.report(address), { next: 5, open: [], unresolved: [], gaps: [] })
    }))

  it.effect("that only signs keeps it open", () =>
    Effect.gen(function*() {
      const nonces = yield* source(5)
      yield* using(nonces, (nonce) =>
        Effect.succeed<SendOutcome.SignedOnly>({
          _tag: "SignedOnly",
          rlp: "0x" as never,
          from: address,
          nonce,
          paidBy: { _tag: "NotKnown" },
          result: undefined as never
        }))
      assert.deepStrictEqual(yield* nonces.report(address), { next: 6, open: [5], unresolved: [], gaps: [] })
    }))

  it.effect("that finds it taken by another goes on where the chain is", () =>
    Effect.gen(function*() {
      let next = 5
      const nonces = yield* source(() => next)
      yield* Effect.exit(using(nonces, (nonce) => {
        next = 9
        return Effect.fail(taken(nonce))
      }))
      assert.strictEqual(yield* nonces.reserve(address), 9)
    }))

  it.effect("is not made when the nonce can't be stored, and keeps its outcome when the nonce can't be settled", () =>
    Effect.gen(function*() {
      const warnings: Array<unknown> = []
      const use = (source: NonceSource.Service, send: Effect.Effect<never, SendOutcome.NotSent>) =>
        NonceSource.withNonce(alice, () => send).pipe(
          Effect.provideService(NonceSource.NonceSource, source),
          Effect.flip,
          Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => warnings.push(message))))
        )
      const failed = new NonceSource.StoreFailed({ address, problem: "test" })
      const unstored = yield* NonceSource.make(() => Effect.succeed(5), {
        isShared: true,
        get: () => Effect.succeedNone,
        modify: () => failed
      })
      assert.strictEqual((yield* use(unstored, Effect.dieMessage("it was not to be sent")))._tag, "StoreFailed")
      const nonces = yield* source(5)
      const end = yield* use({ ...nonces, release: () => failed }, refused)
      assert.strictEqual(end._tag, "NotSent")
      assert.include(String(warnings), `nonce 5 of ${alice} could not be settled and stays open`)
      assert.deepStrictEqual((yield* nonces.report(address)).open, [5])
    }))
})

describe("a send whose nonce was taken before", () => {
  it.effect("is not sent when another payment has the nonce, and the next one goes on behind it", () =>
    Effect.gen(function*() {
      const klay = 10n ** 18n
      const chain: Chain.Chain = { blocks: [[Chain.payment(5, { value: 5n })]] }
      const wire = Chain.make(chain, (sent) => {
        const { nonce } = JSON.parse(sent.body ?? "{}")
        return (nonce === 5
          ? Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")
          : Testing.json(200, { ...Records.result, nonce }))(sent)
      })
      const wallet = yield* Service.wallet(wire, Service.withNode)
      let next = 5
      const nonces = yield* source(() => next)
      const payment = using(nonces, (nonce) => {
        next = 6
        return wallet.sendValue({ from: alice, to: bob, value: klay, payer: FeeDelegation.service, nonce })
      })
      const end = yield* Effect.flip(payment)
      assert.strictEqual(end._tag, "NotSent")
      assert.strictEqual(Chain.toWallet(wire).length, 1)
      assert.strictEqual((yield* payment).nonce, 6)
    }))

  it.effect("keeps the nonce open when an equal payment has it, or nobody can say what does", () =>
    Effect.gen(function*() {
      const low = Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")
      for (const chain of [{ blocks: [[Chain.payment(5)]] }, { blocks: [[]] }]) {
        const wallet = yield* Service.wallet(Chain.make(chain, low), Service.withNode)
        const nonces = yield* source(() => 5)
        const send = (nonce: number) =>
          wallet.sendValue({ from: alice, to: bob, value: 10n ** 18n, payer: FeeDelegation.service, nonce })
        assert.strictEqual((yield* Effect.flip(using(nonces, send)))._tag, "SendUnknown")
        assert.deepStrictEqual((yield* nonces.report(address)).unresolved, [5])
        assert.strictEqual(yield* nonces.reserve(address), 6)
      }
    }))

  it.effect("gives the nonce to the next send when it was denied, so that a late copy of the request can't pay twice", () =>
    Effect.gen(function*() {
      const funds = Service.refusal(
        1065001,
        "failed to send a raw transaction to klaytn node; -32000::insufficient funds"
      )
      const wallet = yield* Service.wallet(Chain.make({ blocks: [[Chain.payment(4)]] }, funds), Service.withNode)
      const nonces = yield* source(() => 5)
      const send = (nonce: number) =>
        wallet.sendValue({ from: alice, to: bob, value: 1n, payer: FeeDelegation.service, nonce })
      assert.strictEqual((yield* Effect.flip(using(nonces, send)))._tag, "NotSent")
      assert.strictEqual(yield* nonces.reserve(address), 5)
    }))
})

describe("nonce 0", () => {
  it.effect("is settled before another nonce of the account is handed out", () =>
    Effect.gen(function*() {
      const nonces = yield* source(0)
      assert.strictEqual(yield* nonces.reserve(address), 0)
      const others = yield* Effect.fork(
        Effect.all([nonces.reserve(address), nonces.reserve(address)], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.poll(others))._tag, "None")
      yield* nonces.confirm(address, 0)
      assert.deepStrictEqual([...(yield* Fiber.join(others))].sort(), [1, 2])
    }))

  it.effect("is waited for also while other nonces are settled and the chain is read", () =>
    Effect.gen(function*() {
      let next = 0
      const nonces = yield* source(() => next)
      yield* nonces.reserve(address)
      const other = yield* Effect.fork(nonces.reserve(address))
      yield* TestClock.adjust("1 second")
      yield* nonces.confirm(address, 3)
      yield* nonces.release(address, 2)
      yield* nonces.suspect(address, 2)
      next = 1
      yield* nonces.resync(address)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isNone(yield* Fiber.poll(other)))
      yield* nonces.confirm(address, 0)
      yield* nonces.confirm(address, 0)
      assert.strictEqual(yield* Fiber.join(other), 1)
    }))

  it.effect("is not waited for any longer once nobody knows what became of it", () =>
    Effect.gen(function*() {
      const nonces = yield* source(0)
      yield* nonces.reserve(address)
      const other = yield* Effect.fork(Effect.flip(nonces.reserve(address)))
      yield* TestClock.adjust("1 second")
      yield* nonces.suspect(address, 0)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isSome(yield* Fiber.poll(other)))
      yield* nonces.confirm(address, 0)
      assert.strictEqual(yield* nonces.reserve(address), 1)
    }))

  it.effect("goes to the next one when it was released", () =>
    Effect.gen(function*() {
      const nonces = yield* source(0)
      yield* nonces.reserve(address)
      const other = yield* Effect.fork(nonces.reserve(address))
      yield* Effect.yieldNow()
      yield* nonces.release(address, 0)
      assert.strictEqual(yield* Fiber.join(other), 0)
    }))

  it.effect("is waited for 30 seconds and no longer", () =>
    Effect.gen(function*() {
      const nonces = yield* source(0)
      yield* nonces.reserve(address)
      const other = yield* Effect.fork(Effect.flip(nonces.reserve(address)))
      yield* TestClock.adjust("29 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(other)))
      yield* TestClock.adjust("1 second")
      const unavailable = yield* Fiber.join(other)
      assert.strictEqual(unavailable._tag, "NonceUnavailable")
      assert.include(unavailable.message, `no nonce of ${alice}: its nonce 0 is open`)
    }))

  it.effect("of which nothing is known refuses at once, until the chain tells", () =>
    Effect.gen(function*() {
      let next = 0
      const nonces = yield* source(() => next)
      yield* Effect.exit(using(nonces, (nonce) => Effect.fail(unknown(nonce))))
      assert.strictEqual((yield* Effect.flip(nonces.reserve(address)))._tag, "NonceUnavailable")
      next = 1
      yield* nonces.resync(address)
      assert.strictEqual(yield* nonces.reserve(address), 1)
    }))

  it.effect("that the service made another of does not leave a hole", () =>
    Effect.gen(function*() {
      let next = 0
      const nonces = yield* source(() => next)
      yield* using(nonces, () => {
        next = 4
        return Effect.succeed(sent(3))
      })
      assert.deepStrictEqual(yield* nonces.report(address), { next: 4, open: [], unresolved: [], gaps: [] })
    }))
})
