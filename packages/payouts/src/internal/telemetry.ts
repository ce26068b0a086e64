/** What operators see: a span for each step, metrics, and a log line for what needs attention. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as Tracer from "effect/Tracer"
import type { Payout } from "../Payout.js"
import type { Health } from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import type { Stored } from "./store.js"

const attributesOf = ({ content, key, state }: Pick<Payout, "content" | "key" | "state">) => ({
  "payout.key": key,
  "payout.from": content.request.from,
  "payout.state": state._tag,
  ..."attempt" in state ? { "payout.attempt": state.attempt, "payout.nonce": state.nonce } : {}
})

/** The span in which a payout was asked for, if there is one that is exported. */
export const currentTrace: Effect.Effect<Stored["trace"]> = Effect.currentSpan.pipe(
  Effect.map(Struct.pick("traceId", "spanId", "sampled")),
  Effect.orElseSucceed(() => null)
)

/** The span of one step, linked to the one in which the payout was asked for. */
export const inSpan =
  (payout: Stored, verb: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const { trace } = payout
    return Effect.withSpan(effect, `payouts.${verb}`, {
      attributes: attributesOf(payout),
      links: trace === null
        ? []
        : [{ _tag: "SpanLink", span: Tracer.externalSpan(trace), attributes: { "payout.key": payout.key } }],
      captureStackTrace: false
    }) as Effect.Effect<A, E, R> // the span is provided here, so it is not required
  }

/** Logs what a person should look at. */
export const alert = (payout: Stored, problem: string): Effect.Effect<void> =>
  Effect.logError(`payout ${payout.key} needs attention: ${problem}`).pipe(Effect.annotateLogs(attributesOf(payout)))

const counter = (name: string, description: string) =>
  Metric.counter(`klaytn.payouts.${name}`, { description, incremental: true })

const changes = counter("changes", "Changes of payouts, by what happened")
const ends = counter("ended", "Payouts that have ended, by their end")
const paidByOther = counter(
  "paid_by_other",
  "Payouts in a block whose fee a different account paid than the one asked for"
)

/** Counts and logs a fee that a different account paid than the one asked for. A payout is found in a block once. */
const recordFee = ({ content, key, state }: Stored, event: PayoutState.PayoutEvent): Effect.Effect<void> => {
  if (event._tag !== "Found" || !("paidBy" in state) || state.paidBy?._tag !== "Other") return Effect.void
  const { payer, request } = content
  const { address } = state.paidBy
  const asked = payer._tag === "UserFeePayer" ? `UserFeePayer ${payer.address}` : payer._tag
  return Effect.logWarning(
    `payout ${key}: ${address === request.from ? "the sender" : address} paid the fee, and its payer is ${asked}: ` +
      "check feePayerStyle of the configuration (KLAYTN_FEE_PAYER_STYLE)"
  ).pipe(Effect.annotateLogs(attributesOf({ content, key, state })), Effect.zipRight(Metric.increment(paidByOther)))
}

/** Counts a change and marks it in the current span. */
export const recordChange = (payout: Stored, event: PayoutState.PayoutEvent): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { state } = payout
    yield* Metric.increment(Metric.tagged(changes, "event", event._tag))
    if (PayoutState.isFinal(state)) yield* Metric.increment(Metric.tagged(ends, "state", state._tag))
    yield* recordFee(payout, event)
    yield* Effect.annotateCurrentSpan(attributesOf(payout))
    yield* Effect.logDebug(`payout ${payout.key}: ${event._tag}, now ${state._tag}`)
  })

const gauge = (name: string, description: string) => Metric.gauge(`klaytn.payouts.${name}`, { description })

const open = gauge("open", "Payouts that have not ended, by state")
const unknown = gauge("unknown", "Payouts that may or may not have been sent")
const unattended = gauge("unattended", "Payouts on which no process works although they are not final")
const oldest = gauge("oldest", "How long ago the attempt of the payout that waits longest was begun, in seconds")
const spent = gauge("spent", "What counts in the spend window now, in KLAY, by kind (value or fee)")

const inKlay = (peb: bigint): number => Number(peb) / 1e18

const seconds = Option.match({ onNone: () => 0, onSome: Duration.toSeconds })

/** Sets the gauges. */
export const setGauges = (health: Health): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (const tag of PayoutState.Tag.literals) {
      yield* Metric.set(Metric.tagged(open, "state", tag), health.open[tag] ?? 0)
    }
    yield* Metric.set(unknown, health.unknown)
    yield* Metric.set(unattended, health.unattended)
    yield* Metric.set(oldest, seconds(health.oldest))
    const { fee, value } = Option.getOrElse(health.spent, () => ({ value: 0n, fee: 0n }))
    yield* Metric.set(Metric.tagged(spent, "kind", "value"), inKlay(value))
    yield* Metric.set(Metric.tagged(spent, "kind", "fee"), inKlay(fee))
  })
