import * as SendLife from "@effect-klaytn/custody/SendLife"
import * as SendRefusal from "@effect-klaytn/custody/SendRefusal"
import { pricesAt } from "@effect-klaytn/custody/WalletChain"
import { assert, describe, it } from "@effect/vitest"

const patience = { lasting: 120, unknown: 600 }
const gkei = 1_000_000_000n

const attempt = (more: Partial<SendLife.Attempt> = {}): SendLife.Attempt => ({
  hash: "0x01",
  price: 27n * gkei,
  attempts: 0,
  updatedAt: 0,
  isOfGlobalPayer: false,
  refusal: undefined,
  ...more
})

const record = (more: Partial<SendLife.SendRecord> = {}): SendLife.SendRecord => ({
  payments: [attempt()],
  cancels: [],
  canSign: true,
  canRaise: true,
  limitPrice: undefined,
  isRevoked: false,
  leasedUntil: 0,
  ...more
})

const view = (more: Partial<SendLife.View> = {}): SendLife.View => ({
  baseFee: 25n * gkei,
  price: 28n * gkei,
  maxPrice: 750n * gkei,
  isFrozen: false,
  ...more
})

const refusedAs = (kind: SendRefusal.RefusalKind, since: number) => ({ kind, since, text: `a refusal: ${kind}` })

const next = (one: Partial<SendLife.SendRecord>, now: number, shown: Partial<SendLife.View> = {}) =>
  SendLife.next(record(one), view(shown), patience, now)

/** Every state in which a send can be, as far as decisions depend on it. */
const states = [undefined, ...SendRefusal.refusalKinds].flatMap((kind) =>
  [false, true].flatMap((canSign) =>
    [false, true].flatMap((canRaise) =>
      [false, true].flatMap((isCancelled) =>
        [10n, 27n, 750n].flatMap((price) =>
          [0, 10, 119, 120, 599, 600].flatMap((since) =>
            [undefined, 26n, 600n].map((limit) => {
              const front = attempt({
                price: price * gkei,
                attempts: 9,
                refusal: kind && refusedAs(kind, 1000 - since)
              })
              const limitPrice = limit === undefined ? undefined : limit * gkei
              return record({ payments: [front], cancels: isCancelled ? [front] : [], canSign, canRaise, limitPrice })
            })
          )
        )
      )
    )
  )
)

const views = [20n, 25n, 28n, 700n, 800n].map((baseFee) =>
  view({ baseFee: baseFee * gkei, price: baseFee > 750n ? undefined : baseFee * gkei })
)

describe("what is done next about a send", () => {
  it("is nothing while the wallet is frozen, or while somebody else repairs it, whatever the state", () => {
    for (const one of states) {
      for (const shown of views) {
        assert.deepStrictEqual(SendLife.next(one, { ...shown, isFrozen: true }, patience, 1000), { _tag: "Wait" })
        assert.deepStrictEqual(SendLife.next({ ...one, leasedUntil: 1001 }, shown, patience, 1000), { _tag: "Wait" })
      }
    }
  })

  it("never signs above the bound, below what was signed before, or for an account that is not the wallet's", () => {
    for (const one of states) {
      for (const shown of views) {
        const step = SendLife.next(one, shown, patience, 1000)
        if (step._tag !== "Raise" && step._tag !== "Cancel") continue
        assert.isTrue(one.canSign)
        assert.isAtMost(Number(step.price), Number(shown.maxPrice))
        const [before] = one.cancels.length > 0 ? one.cancels : one.payments
        if (step._tag === "Raise" || one.cancels.length > 0) {
          assert.isTrue(before !== undefined && step.price > before.price)
        }
        if (step._tag === "Raise") {
          assert.isTrue(one.canRaise && one.cancels.length === 0 && step.price >= shown.baseFee)
          assert.isTrue(one.limitPrice === undefined || step.price <= one.limitPrice)
        }
      }
    }
  })

  it("cancels or gives up only after a refusal that lasts, counted from the first one in a row", () => {
    const borne = {
      passing: Infinity,
      price: Infinity,
      limit: Infinity,
      forbidden: Infinity,
      gap: Infinity,
      taken: Infinity,
      funds: 120,
      lasting: 120,
      unknown: 600,
      never: 0
    }
    for (const one of states) {
      for (const shown of views) {
        const refusal = one.payments[0]?.refusal
        if (one.cancels.length > 0) continue
        const step = SendLife.next(one, shown, patience, 1000)
        const isOver = refusal !== undefined && 1000 - refusal.since >= borne[refusal.kind]
        const ends = step._tag === "Cancel" || step._tag === "GiveUp"
        assert.strictEqual(
          ends,
          isOver && (!one.canSign || shown.price !== undefined),
          JSON.stringify([step._tag, refusal])
        )
        if (ends) assert.strictEqual(step._tag, one.canSign ? "Cancel" : "GiveUp")
      }
    }
  })

  it("is the same payment at today's price once its own is below the base fee", () => {
    const step = next({}, 3, { baseFee: 30n * gkei, price: 34n * gkei })
    assert.deepStrictEqual(step, { _tag: "Raise", price: 34n * gkei })
    // It was signed a moment ago.
    assert.strictEqual(next({ payments: [attempt({ updatedAt: 3 })] }, 3, { baseFee: 30n * gkei })._tag, "Wait")
  })

  it("is told where nobody but its signer can raise the price, and where the base fee is above the bound", () => {
    const low = { baseFee: 30n * gkei, price: 34n * gkei }
    const foreign = next({ canRaise: false }, 100, low)
    assert(foreign._tag === "Submit")
    assert.match(foreign.noted?.text ?? "", /only its signer/)
    const bound = next({}, 100, { baseFee: 800n * gkei, price: undefined })
    assert(bound._tag === "Submit")
    assert.match(bound.noted?.text ?? "", /the most that the wallet pays/)
  })

  it("is the most that the largest fee of its caller lets it pay, or waits until the base fee has fallen below that", () => {
    const limitPrice = 32n * gkei
    const high = { baseFee: 40n * gkei, price: 45n * gkei }
    const limited = next({ limitPrice }, 3, high)
    assert(limited._tag === "Submit")
    assert.deepInclude(limited.noted, { kind: "limit" })
    assert.match(
      limited.noted?.text ?? "",
      /base fee 40000000000, which is above 32000000000, the most that the largest fee/
    )
    const payments = [attempt({ updatedAt: 100, attempts: 5, refusal: refusedAs("limit", 3) })]
    assert.strictEqual(next({ payments, limitPrice }, 101, high)._tag, "Wait")
    const fallen = { baseFee: 30n * gkei, price: 34n * gkei }
    assert.deepStrictEqual(next({ payments, limitPrice }, 101, fallen), { _tag: "Raise", price: limitPrice })
    // The owner may raise the limit, too.
    assert.deepStrictEqual(next({ payments, limitPrice: 50n * gkei }, 101, high), { _tag: "Raise", price: 45n * gkei })
  })

  it("is tried every ten minutes where another limit forbids it, and sends the same bytes meanwhile", () => {
    const low = { baseFee: 30n * gkei, price: 34n * gkei }
    const tags = [0, 1, 599, 600, 601].map((now) =>
      next({ payments: [attempt({ updatedAt: 0, attempts: 9, refusal: refusedAs("forbidden", 0) })] }, now, low)._tag
    )
    assert.deepStrictEqual(tags, ["Wait", "Submit", "Submit", "Raise", "Raise"])
    const tried = attempt({ updatedAt: 600, attempts: 9, refusal: refusedAs("forbidden", 0) })
    const later = [608, 1199, 1200].map((now) => next({ payments: [tried] }, now, low)._tag)
    assert.deepStrictEqual(later, ["Submit", "Submit", "Raise"])
  })

  it("is a higher price if the node refuses the price though its blocks ask for less", () => {
    const payments = [attempt({ refusal: refusedAs("price", 8), updatedAt: 8 })]
    assert.strictEqual(next({ payments }, 9)._tag, "Submit")
    assert.deepStrictEqual(next({ payments }, 10), { _tag: "Raise", price: 31_500_000_000n })
  })

  it("is the cancellation for a send whose caller was revoked", () => {
    const step = next({ isRevoked: true }, 1)
    assert.deepStrictEqual(step, { _tag: "Cancel", price: 28n * gkei, payer: "own", why: "its caller was revoked" })
    assert.strictEqual(next({ isRevoked: true, canSign: false }, 1)._tag, "GiveUp")
  })

  it("is the same cancellation again, one at a higher price below the base fee, and one of the global payer without funds", () => {
    const cancelled = (more: Partial<SendLife.Attempt>) => ({ cancels: [attempt({ hash: "0x02", ...more })] })
    const again = next(cancelled({}), 1)
    assert(again._tag === "Submit")
    assert.strictEqual(again.attempt.hash, "0x02")
    assert.deepInclude(next(cancelled({}), 3, { baseFee: 30n * gkei, price: 34n * gkei }), {
      _tag: "Cancel",
      price: 34n * gkei
    })
    const short = next(cancelled({ refusal: refusedAs("funds", 0) }), 1)
    assert.deepInclude(short, { _tag: "Cancel", payer: "global" })
    const both = next(cancelled({ refusal: refusedAs("funds", 0), isOfGlobalPayer: true }), 31)
    assert.strictEqual(both._tag, "Submit")
  })

  it("lets the same bytes rest for longer and longer, half a minute at most", () => {
    const seconds = Array.from({ length: 60 }, (_, now) => now)
    const rests = [0, 1, 2, 3, 4, 5, 6, 7, 50].map((attempts) =>
      seconds.find((now) => next({ payments: [attempt({ attempts })] }, now)._tag === "Submit")
    )
    assert.deepStrictEqual(rests, [1, 2, 4, 8, 16, 30, 30, 30, 30])
    // What the node refuses rests as long as it has been refused, eight seconds at most, however often a request gave it.
    const refusedFor = [0, 1, 2, 3, 8, 100].map((before) => {
      const refused = attempt({ attempts: 9, updatedAt: 0, refusal: refusedAs("passing", -before) })
      return seconds.find((now) => next({ payments: [refused] }, now)._tag === "Submit")
    })
    assert.deepStrictEqual(refusedFor, [1, 1, 2, 3, 8, 8])
  })
})

/** A chain with one account, which is asked about one nonce, and what it does with what it is given. */
const model = (
  behaviours: ReadonlyArray<SendRefusal.RefusalKind | "ok" | "forgotten" | "silent">,
  fees: ReadonlyArray<bigint>,
  limitPrice?: bigint
) => {
  const payments: Array<SendLife.Attempt> = []
  const cancels: Array<SendLife.Attempt> = []
  const pool: Array<{ readonly hash: string; readonly price: bigint; readonly isCancel: boolean }> = []
  const given = (list: Array<SendLife.Attempt>, at: number, now: number, noted?: SendLife.Noted) => {
    const one = list[at]
    if (one === undefined) return
    const fee = fees[now % fees.length] ?? 0n
    const isCancel = list === cancels
    const answer = isCancel ? "ok" : behaviours[Math.floor(now / 7) % behaviours.length] ?? "ok"
    const kind = answer === "ok" && one.price < fee ? "price" : answer
    if (kind === "ok") pool.push({ hash: one.hash, price: one.price, isCancel })
    const told = kind === "ok" || kind === "forgotten" ? undefined : kind === "silent" ? "passing" : kind
    const refusal = told === undefined || told === "price" ? noted?.kind ?? told : told
    list[at] = {
      ...one,
      attempts: one.attempts + 1,
      updatedAt: now,
      refusal: refusal && SendRefusal.follow(one.refusal, { kind: refusal, text: refusal }, now)
    }
  }
  const sign = (list: Array<SendLife.Attempt>, price: bigint, now: number, isOfGlobalPayer = false) => {
    list.push(
      attempt({ hash: `0x${list === cancels ? "c" : "a"}${list.length}`, price, updatedAt: now, isOfGlobalPayer })
    )
    given(list, list.length - 1, now)
  }
  sign(payments, (fees[0] ?? 0n) * 11n / 10n, 0)
  for (let now = 1; now < 4000; now++) {
    const baseFee = fees[now % fees.length] ?? 0n
    // A block takes one of the transactions of the nonce whose price suffices: the dearest.
    const mined = pool.filter(({ price }) =>
      price >= baseFee
    ).toSorted((one, other) => Number(other.price - one.price))[0]
    if (mined !== undefined && now % 2 === 0) {
      return {
        mined: mined.isCancel ? "cancellation" : "payment",
        now,
        payments,
        cancels
      }
    }
    const one = record({ payments, cancels, limitPrice })
    const maxPrice = 750n * gkei
    const wanted = baseFee * 11_025n / 10_000n + 1n
    const price = baseFee > maxPrice ? undefined : wanted < maxPrice ? wanted : maxPrice
    const step = SendLife.next(one, view({ baseFee, price, maxPrice }), patience, now)
    if (step._tag === "Submit") {
      const list = cancels.length > 0 ? cancels : payments
      given(list, list.length - 1, now, step.noted)
    } else if (step._tag === "Raise") sign(payments, step.price, now)
    else if (step._tag === "Cancel") sign(cancels, step.price, now, step.payer === "global")
  }
  return { mined: "nothing", now: 4000, payments, cancels }
}

/** Base fees, a block a second. */
const risen = Array.from({ length: 4000 }, (_, at) => (at < 600 ? 25n + BigInt(at) / 4n : 150n) * gkei)
const waves = Array.from({ length: 4000 }, (_, at) => BigInt(Math.round(85 - 60 * Math.cos(at / 40))) * gkei)
const calm = [25n * gkei]

describe("a payment in front of a node of any manner", () => {
  it("runs whatever passes: silence, a pool that is full or forgets, and a base fee that moves", () => {
    const passing = ["ok", "forgotten", "silent", "passing", "price", "taken"] as const
    for (const fees of [calm, risen, waves]) {
      for (const one of passing) {
        for (const two of passing) {
          for (const three of passing) {
            const end = model([one, two, three, "ok"], fees)
            assert.strictEqual(end.mined, "payment", `${one} ${two} ${three}`)
            assert.isBelow(end.now, 600, `${one} ${two} ${three}`)
            assert.lengthOf(end.cancels, 0)
          }
        }
      }
    }
  })

  it("runs within the largest fee of its caller once the base fee has fallen far enough, and is not cancelled before", () => {
    const limitPrice = 60n * gkei
    const falling = Array.from({ length: 4000 }, (_, at) => (at < 5 ? 25n : at < 1000 ? 100n : 50n) * gkei)
    for (const fees of [falling, waves.map((fee, at) => at < 5 ? 25n * gkei : fee)]) {
      const end = model(["forgotten", "ok"], fees, limitPrice)
      assert.deepStrictEqual([end.mined, end.cancels.length], ["payment", 0])
      for (const { price } of end.payments) assert.isTrue(price <= limitPrice)
    }
    const never = model(["forgotten", "ok"], falling.map((fee, at) => at < 1000 ? fee : 100n * gkei), limitPrice)
    assert.deepStrictEqual([never.mined, never.cancels.length, never.payments.at(-1)?.refusal?.kind], [
      "nothing",
      0,
      "limit"
    ])
  })

  it("is cancelled in the time of its refusal if that lasts, and no sooner", () => {
    const ends = (["funds", "lasting", "unknown", "never"] as const).map((kind) => model([kind], calm))
    assert.deepStrictEqual(ends.map(({ mined }) => mined), [
      "cancellation",
      "cancellation",
      "cancellation",
      "cancellation"
    ])
    const [funds, lasting, unknown, never] = ends.map(({ now }) => now)
    for (const time of [funds, lasting]) assert.isTrue(time !== undefined && time >= 120 && time < 160)
    assert.isTrue(unknown !== undefined && unknown >= 600 && unknown < 640)
    assert.isTrue(never !== undefined && never < 10)
  })

  it("is not cancelled for refusals of several kinds by turns, none of which lasts", () => {
    const turns = model(["unknown", "passing"], calm)
    assert.deepStrictEqual([turns.mined, turns.cancels.length], ["nothing", 0])
  })
})

describe("the table of the node's texts", () => {
  it("knows what a text of a Kaia node means, whatever follows it", () => {
    const texts: ReadonlyArray<readonly [string, SendRefusal.RefusalKind]> = [
      ["txpool is full: 5120", "passing"],
      ["invalid gas price. It must be set to value greater than or equal to baseFee", "price"],
      ["invalid gas fee cap. It must be set to value greater than or equal to baseFee", "price"],
      ["nonce too low", "taken"],
      ["there is another tx which has the same nonce in the tx pool", "taken"],
      ["insufficient funds of the sender for value ", "funds"],
      ["insufficient funds of the fee payer for gas * price", "funds"],
      ["invalid sender: invalid account key", "lasting"],
      ["invalid fee payer: invalid account key", "lasting"],
      ["intrinsic gas too low", "never"],
      ["oversized data", "never"],
      ["max initcode size exceeded: code size 49153 limit 49152", "never"],
      ["recipient must be an EOA without code", "never"],
      ["the node is tired today", "unknown"]
    ]
    for (const [text, kind] of texts) assert.strictEqual(SendRefusal.kindOf(text), kind, text)
  })

  it("takes a door that answers in the node's place for passing, unless it is about the bytes", () => {
    const kinds = [undefined, 413, 403, 400, 401, 408, 429, 500, 502, 503].map(SendRefusal.kindOfStatus)
    const passing = "passing"
    assert.deepStrictEqual(kinds, [
      passing,
      "never",
      "unknown",
      "unknown",
      passing,
      passing,
      passing,
      passing,
      passing,
      passing
    ])
  })
})

describe("what the wallet pays for a unit of gas", () => {
  it("is a factor above the base fee, rounded up, up to the bound, and nothing where the base fee is above it", () => {
    const rules = { maxPrice: 100n, factor: 1.1025, heldFactor: 4 }
    const prices = [20n, 50n, 95n, 100n, 101n].map((baseFee) => {
      const { heldPrice, price } = pricesAt(baseFee, rules)
      return [price, heldPrice]
    })
    assert.deepStrictEqual(prices, [[23n, 80n], [56n, 100n], [100n, 100n], [100n, 100n], [undefined, undefined]])
    assert.strictEqual(pricesAt(25n * gkei).price, 27_562_500_000n)
    assert.strictEqual(pricesAt(700n * gkei).price, 750n * gkei)
  })
})
