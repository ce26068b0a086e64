/** Runs `klaytn payouts`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Connection from "./Connection.js"
import * as Failure from "./Failure.js"
import * as Instant from "./instant.js"
import type { PayoutsInput } from "./payCommands.js"
import * as payoutText from "./payoutText.js"
import { jsonLine } from "./printed.js"
import * as reportText from "./reportText.js"
import { open, whileUsable } from "./runPay.js"
import { resolutionOf, resolve } from "./runResolve.js"
import { check as checkWatch, watch } from "./runWatch.js"
import * as Screen from "./Screen.js"

const readStates = Schema.decodeUnknownEither(Schema.Array(PayoutState.Tag))

const addressOf = (option: string, text: string | undefined) =>
  text === undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(
      Address.make(text),
      () => Failure.usage(`${option} ${text} is no address: 0x and 40 hex digits`)
    )

/** A time in seconds. */
const secondOf = (option: string, text: string | undefined, end: "first" | "last") =>
  Effect.flatMap(Instant.read(option, text, end), (instant) =>
    instant?.unit === "block"
      ? Failure.usage(`${option} takes a time, not a block`)
      : Effect.succeed(instant?.value))

/** The actions that change nothing, and end as soon as their output is closed. */
const reads: ReadonlySet<string> = new Set(["list", "show", "report", "watch"])

const onlyForList = ["state", "from", "to", "since", "until"] as const

/** Which payouts are listed, by states and accounts, and from when to when, in Unix milliseconds. */
const filterOf = (input: PayoutsInput) =>
  Effect.gen(function*() {
    const given = onlyForList.find((name) => input[name] !== undefined)
    if (input.action !== "list" && given !== undefined) {
      return yield* Failure.usage(`--${given} goes with list, not with ${input.action}`)
    }
    if (input.csv && input.action !== "list" && input.action !== "report") {
      return yield* Failure.usage(`--csv goes with list and report, not with ${input.action}`)
    }
    if (input.csv && input.json) return yield* Failure.usage("choose one of --csv and --json")
    const states = input.state === undefined ? undefined : yield* Effect.mapError(
      readStates(input.state.split(",").map((one) => one.trim())),
      () => Failure.usage(`--state takes any of ${PayoutState.Tag.literals.join(",")}`)
    )
    const until = yield* secondOf("--until", input.until, "last")
    return {
      states,
      from: yield* addressOf("--from", input.from),
      to: yield* addressOf("--to", input.to),
      since: ((yield* secondOf("--since", input.since, "first")) ?? 0) * 1000,
      until: (until ?? Infinity) * 1000 + 999
    }
  })

type Filter = Effect.Effect.Success<ReturnType<typeof filterOf>>

/** The day of a report. */
const dayOf = ({ action, day }: PayoutsInput): Effect.Effect<string | undefined, Failure.Failure> => {
  if (day !== undefined && action !== "report") return Failure.usage(`--day goes with report, not with ${action}`)
  return action !== "report" || /^\d{4}-\d{2}-\d{2}$/.test(day ?? "")
    ? Effect.succeed(day)
    : Failure.usage("report needs --day, a day of UTC such as 2026-11-23")
}

const list = (input: PayoutsInput, { from, since, states, to, until }: Filter) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { list } = yield* Payouts.Payouts
    const units: payoutText.Units = new Map()
    let cursor: string | undefined
    let isEmpty = true
    do {
      const page = yield* list({ states, from, size: 1000, cursor })
      const items = page.items.filter((payout) =>
        payout.createdAt >= since && payout.createdAt <= until &&
        (to === undefined || payoutText.receiverOf(payout) === to)
      )
      if (!input.json) yield* payoutText.learnUnits(units, payoutText.tokensOf(items))
      yield* out.write(
        input.json
          ? items.map((payout) => payoutText.line(payout, true)).join("")
          : input.csv
          ? payoutText.csv(items, units, cursor === undefined)
          : payoutText.table(out, items, units, isEmpty)
      )
      isEmpty &&= items.length === 0
      // The newest come first.
      const isPast = (page.items.at(-1)?.createdAt ?? 0) < since
      cursor = isPast ? undefined : Option.getOrUndefined(page.cursor)
    } while (cursor !== undefined)
    return "ok" as const
  })

const show = (key: string, isJson: boolean) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const payout = yield* Effect.flatMap(Payouts.Payouts, ({ get }) => get(key))
    const units: payoutText.Units = new Map()
    if (!isJson) yield* payoutText.learnUnits(units, payoutText.tokensOf([payout]))
    yield* out.write(isJson ? jsonLine(payout) : payoutText.page(out, payout, units))
    return "ok" as const
  })

const report = (day: string, input: PayoutsInput) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const made = yield* Effect.flatMap(Payouts.Payouts, ({ report }) => report(day))
    const units: payoutText.Units = new Map()
    if (!input.json) yield* payoutText.learnUnits(units, reportText.tokensOf(made))
    yield* out.write(
      input.json
        ? jsonLine(made)
        : input.csv
        ? reportText.csv(made, units)
        : reportText.page(out, made, units)
    )
    return made.differences.length === 0 ? "ok" as const : "found" as const
  })

/** `klaytn payouts`. */
export const payouts = (input: PayoutsInput) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const filter = yield* filterOf(input)
    const day = yield* dayOf(input)
    yield* checkWatch(input)
    const resolution = yield* resolutionOf(input)
    const connection = yield* Connection.open(input, "wallet")
    const services = yield* open(input, connection, input.action === "approve" || input.action === "cancel")
    const act = Effect.gen(function*() {
      if (input.action === "list") return yield* list(input, filter)
      if (input.action === "watch") return yield* watch(input)
      if (day !== undefined) return yield* report(day, input)
      const { key } = input
      if (key === undefined) return yield* Failure.usage(`${input.action} needs the key of a payment`)
      if (input.action === "show") return yield* show(key, input.json)
      const service = yield* Payouts.Payouts
      const payout = resolution !== undefined
        ? yield* resolve(service, key, resolution, input)
        : input.action === "reconcile"
        ? yield* service.reconcile(key)
        : yield* Effect.zipRight(
          input.action === "approve" ? service.approve(key) : service.cancel(key),
          service.wait(key)
        )
      yield* out.write(payoutText.line(payout, input.json))
      return payout.state._tag === "Refused" || payout.state._tag === "Unknown" ? "found" as const : "ok" as const
    }).pipe(whileUsable, Effect.provide(services))
    return yield* reads.has(input.action) ? Screen.whileRead(act) : act
  }).pipe(Effect.scoped)
