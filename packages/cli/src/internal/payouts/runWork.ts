/** Runs `klaytn payouts work` and `klaytn payouts adopt`. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as Limits from "@effect-klaytn/payouts/Limits"
import type { Payout } from "@effect-klaytn/payouts/Payout"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Failure from "../terminal/Failure.js"
import { counted } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import type { PayoutsInput } from "./options.js"
import * as payoutText from "./payoutText.js"
import * as waiting from "./waiting.js"

/** Pages of payments in some states. */
const paged = (service: Payouts.Service, states: ReadonlyArray<PayoutState.Tag>) =>
  Stream.paginateChunkEffect(Option.none<string>(), (cursor) =>
    Effect.map(
      service.list({ states, size: 1000, cursor: Option.getOrUndefined(cursor) }),
      (page) => [Chunk.unsafeFromArray(page.items), Option.map(page.cursor, Option.some)] as const
    ))

/** Whether this process works on a payment: one of its chain that has begun, or that has its limits. */
const isOurs = (service: Payouts.Service, chain: Chain.Chain) => ({ content, limits, state }: Payout): boolean =>
  content.chain === chain && (!PayoutState.isUnbegun(state) || limits === service.ownLimits)

const isFinal = Schema.is(PayoutState.FinalTag)

/** The states in which a process works on a payment. */
const working = PayoutState.Tag.literals.filter((tag) => !isFinal(tag) && tag !== "WaitingForApproval")

/** Says once that payments wait for persons who sign, which may take long. */
const tellOfSigners = Effect.fnUntraced(function*(service: Payouts.Service, chain: Chain.Chain) {
  const { error } = yield* Screen.Screen
  const all = paged(service, ["WaitingForSignatures"])
  const waiting = yield* Stream.runCount(Stream.filter(all, ({ content }) => content.chain === chain))
  if (waiting === 0) return false
  yield* error.write(
    `${counted(waiting, "payment")} to be signed by the account's signers, for at most a day; ` +
      "to stop, interrupt this: the same command continues, and pays nothing twice\n"
  )
  return true
})

/** Writes each payment that ends, until nothing is left to do. Returns the exit code. */
export const work = Effect.fnUntraced(function*({ json }: PayoutsInput, chain: Chain.Chain) {
  const { out } = yield* Screen.Screen
  let isTold = false
  const service = yield* Payouts.Payouts
  let cursor = yield* service.lastCursor
  let failed = 0
  const writeEnds = Effect.suspend(() =>
    Stream.runForEach(service.feed({ after: cursor, ends: true }), ({ key, state, ...change }) => {
      cursor = change.cursor
      if (!PayoutState.isFinal(state)) return Effect.void
      if (state._tag !== "Executed") failed++
      return Effect.flatMap(service.get(key), ({ history: _, ...payout }) => out.write(payoutText.line(payout, json)))
    })
  )
  const left = Stream.runHead(Stream.filter(paged(service, working), isOurs(service, chain)))
  // What ended before the last look is written after it.
  const tell = Effect.suspend(() =>
    isTold ? Effect.void : Effect.map(tellOfSigners(service, chain), (told) => isTold = told)
  )
  yield* Effect.zipLeft(left, Effect.zipRight(writeEnds, tell)).pipe(
    Effect.repeat({ until: Option.isNone, schedule: Schedule.spaced("500 millis") })
  )
  const isWaiting = yield* waiting.tell(service, json)
  return failed > 0 || isWaiting ? "found" as const : "ok" as const
})

/** Whether a payment waits to be adopted: it has no limits, or a process with others has left it. */
const waits = ({ limits, state }: Payout): boolean =>
  limits === null || (PayoutState.isUnbegun(state) && state.problem !== undefined)

/** The payments of a chain that wait to be adopted, or the one with a key. */
const adoptable = Effect.fnUntraced(function*(service: Payouts.Service, key: string | undefined, chain: Chain.Chain) {
  if (key !== undefined) return [yield* service.get(key)]
  const all = paged(service, ["Planned", "WaitingForApproval", "Superseded"])
  return Chunk.toReadonlyArray(
    yield* Stream.runCollect(Stream.filter(all, (payout) => waits(payout) && payout.content.chain === chain))
  )
})

/** Shows what is to be adopted, and gives it the limits of the options with `--yes`. */
export const adopt = Effect.fnUntraced(function*({ json, key, yes }: PayoutsInput, chain: Chain.Chain) {
  const { error, out } = yield* Screen.Screen
  const service = yield* Payouts.Payouts
  const own = Option.getOrThrow(yield* service.limits(service.ownLimits))
  if (chain === Chain.mainnet && own.policy === null) {
    return yield* Failure.usage("mainnet needs limits", "name a --limit or a --limit-day")
  }
  const payouts = yield* adoptable(service, key, chain)
  if (!json) {
    const lines = yield* Effect.forEach(
      payouts,
      (payout) =>
        Effect.map(
          waiting.limitsOf(service, payout),
          (limits) =>
            Screen.clean(`${payout.key}  ${payout.state._tag}  ${payoutText.amountOf(payout)}  limits: ${limits}`)
        )
    )
    const title = `${counted(payouts.length, "payment")} to have these limits: ${Limits.describe(own)}`
    yield* error.write(Screen.lines([title, ...lines.map((line) => `  ${line}`)]))
  }
  if (payouts.length > 0 && !yes) return yield* Failure.usage("nothing was changed", "add --yes to record it")
  yield* Effect.forEach(
    payouts,
    (payout) => Effect.flatMap(service.adopt(payout.key), (adopted) => out.write(payoutText.line(adopted, json)))
  )
  const [first] = payouts
  if (first !== undefined) yield* waiting.tellWork(service, { ...first, limits: service.ownLimits })
})
