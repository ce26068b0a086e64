import type { Address } from "@effect-klaytn/core/Address"
import * as Addresses from "@effect-klaytn/core/Address"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as NonceSource from "../../src/NonceSource.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob } = Records

const address: Address = Either.getOrThrow(Addresses.make(alice))

/** What happens to one request: whether the service acts on it, and what the caller gets to see. */
const faults = [
  "fine",
  "cut before",
  "cut after",
  "502 before",
  "502 after",
  "503 after",
  "silence after",
  "late"
] as const

type Fault = (typeof faults)[number]

/**
 * A wallet that takes one transaction a nonce, with faults before and after it acts. A nonce ahead of the account waits
 * until the gap is filled.
 */
const faulty = (chain: Chain.Chain, schedule: ReadonlyArray<Fault>) => {
  const queue = new Map<number, Chain.Mined>()
  let next = 1
  let hashes = 0
  let asked = 0

  const mine = (): void => {
    for (let waiting = queue.get(next); waiting !== undefined; waiting = queue.get(next)) {
      chain.blocks.push([waiting])
      queue.delete(next)
      next++
    }
  }

  const act = (body: string): Testing.Step => {
    const { memo, nonce, to, value } = JSON.parse(body)
    const taken = typeof nonce === "number" && nonce > 0 ? nonce : next
    const low = "failed to send a raw transaction to klaytn node; -32000::"
    if (taken < next) return Service.refusal(1065001, `${low}nonce too low`)
    const waiting = queue.get(taken)
    if (waiting !== undefined) return Service.refusal(1065001, `${low}known transaction: ${waiting.hash}`)
    const hash = `0x${(++hashes).toString(16).padStart(64, "0")}`
    const input = `0x${Buffer.from(memo, "utf8").toString("hex")}`
    queue.set(taken, { hash, from: alice, nonce: taken, to, value: BigInt(value), input, typeInt: 17 })
    mine()
    return Testing.json(200, {
      ...Records.result,
      rlp: undefined,
      nonce: taken,
      transactionHash: hash,
      to,
      value,
      typeInt: 17
    })
  }

  const step: Testing.Step = (sent) => {
    const fault = schedule[asked++ % schedule.length] ?? "fine"
    const body = sent.body ?? ""
    switch (fault) {
      case "fine":
        return act(body)(sent)
      case "cut before":
        return Effect.fail(Testing.networkError("ECONNRESET"))
      case "502 before":
        return Testing.text(502, "")(sent)
      case "cut after":
        act(body)
        return Effect.fail(Testing.networkError("ECONNRESET"))
      case "502 after":
      case "503 after":
        act(body)
        return Testing.text(Number(fault.slice(0, 3)), "")(sent)
      case "silence after":
        act(body)
        return Effect.never
      case "late":
        return Effect.zipRight(Effect.delay(Effect.yieldNow(), "2 millis"), Effect.suspend(() => act(body)(sent)))
    }
  }
  return Chain.make(chain, step)
}

/** How often each payment, told by its memo, was executed. */
const executed = (chain: Chain.Chain): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { input } of chain.blocks.flat()) {
    const memo = Buffer.from((input ?? "0x").slice(2), "hex").toString("utf8")
    counts.set(memo, (counts.get(memo) ?? 0) + 1)
  }
  return counts
}

/** On the real clock, and quick: whatever is too slow here is one more fault. */
const quick: Service.More = {
  ...Service.withNode,
  retry: RetryPolicy.make({ attempts: 3, baseDelay: "1 millis" }),
  attemptTimeout: "25 millis",
  deadline: "5 seconds"
}

const memos = Array.from({ length: 12 }, (_, index) => `payment ${index}`)

const send = (memo: string) => ({ from: alice, to: bob, value: 1n, payer: FeeDelegation.service, memo })

const schedules = FastCheck.array(FastCheck.constantFrom(...faults), { minLength: 1, maxLength: 24 })

/** Each end is what happened, and each look-up of an unknown one tells it. */
const judge = (
  chain: Chain.Chain,
  ends: ReadonlyArray<readonly [memo: string, end: SendOutcome.SendOutcome | { readonly _tag: string }]>
) =>
  Effect.gen(function*() {
    const before = executed(chain)
    for (const [memo, end] of ends) {
      const times = before.get(memo) ?? 0
      assert.isAtMost(times, 1, `${memo} is paid once`)
      if (end._tag === "NotSent") assert.strictEqual(times, 0, `${memo} was not sent`)
      if (!(end instanceof SendOutcome.SendUnknown)) continue
      const verdict = yield* end.reconcile
      assert.strictEqual(verdict._tag === "Executed", times === 1, `${memo}: ${verdict._tag}`)
      if (verdict._tag === "Executed") {
        const [found] = chain.blocks.flat().filter(({ hash }) => hash === verdict.transaction.transactionHash)
        assert.strictEqual(Buffer.from((found?.input ?? "0x").slice(2), "hex").toString("utf8"), memo)
      }
    }
  })

describe("sends over a wire that fails before and after the service acts", () => {
  it.live.prop(
    "with nonces of the source pay nobody twice, and no end is wrong",
    [schedules],
    ([schedule]) =>
      Effect.gen(function*() {
        const chain: Chain.Chain = { blocks: [[Chain.payment(0, { value: 9n, input: "0x00" })]] }
        const wallet = yield* Service.wallet(faulty(chain, schedule), quick)
        const nonces = yield* NonceSource.make(() => Effect.succeed(1))
        const ends = yield* Effect.forEach(memos, (memo) =>
          NonceSource.withNonce(alice, (nonce) =>
            wallet.sendValue({ ...send(memo), nonce })).pipe(
              Effect.provideService(NonceSource.NonceSource, nonces),
              Effect.catchAll((end) => Effect.succeed(end)),
              Effect.map((end) => [memo, end] as const)
            ), { concurrency: 4 })
        yield* judge(chain, ends)
        const report = yield* nonces.report(address)
        const unknown = ends.filter(([, end]) =>
          end._tag === "SendUnknown"
        ).length
        assert.strictEqual(report.unresolved.length, unknown)
      }),
    { fastCheck: { numRuns: 6 } }
  )

  it.live.prop(
    "without nonces are made once each, and no end is wrong",
    [schedules],
    ([schedule]) =>
      Effect.gen(function*() {
        const chain: Chain.Chain = { blocks: [[Chain.payment(0, { value: 9n, input: "0x00" })]] }
        const wire = faulty(chain, schedule)
        const wallet = yield* Service.wallet(wire, quick)
        const ends = yield* Effect.forEach(memos, (memo) =>
          Effect.map(SendOutcome.settle(wallet.sendValue(send(memo))), (end) => [memo, end] as const), {
          concurrency: 4
        })
        assert.strictEqual(Chain.toWallet(wire).length, memos.length)
        yield* judge(chain, ends)
      }),
    { fastCheck: { numRuns: 6 } }
  )
})
