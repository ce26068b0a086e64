/** Runs `klaytn payouts`. */
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
import { jsonLines, write } from "./printed.js"
import * as reportText from "./reportText.js"
import { open, whileUsable } from "./runPay.js"
import { resolutionOf, resolve } from "./runResolve.js"
import { watch } from "./runWatch.js"
import * as Screen from "./Screen.js"
import * as values from "./values.js"
import { ifGiven } from "./values.js"

type Action = PayoutsInput["action"]

/** The actions of options that don't go with every action. */
const actionsOf: Partial<Record<keyof PayoutsInput, ReadonlyArray<Action>>> = {
  key: ["show", "approve", "cancel", "reconcile", "resolve"],
  state: ["list"],
  from: ["list"],
  to: ["list"],
  since: ["list"],
  until: ["list"],
  csv: ["list", "report"],
  day: ["report"],
  reader: ["watch"],
  after: ["watch"],
  once: ["watch"],
  notSent: ["resolve"],
  sent: ["resolve"],
  yes: ["resolve"]
}

/** The actions that change nothing, and end as soon as their output is closed. */
const reads: ReadonlySet<Action> = new Set<Action>(["list", "show", "report", "watch"])

const isGiven = (value: unknown): boolean => value !== undefined && value !== false

const optionOf = (name: string): string =>
  name === "key" ? "KEY" : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** What is wrong with the options, found before anything is opened. */
const check = (input: PayoutsInput): Effect.Effect<void, Failure.Failure> => {
  const { action, after, csv, day, json, reader } = input
  for (const [name, actions] of Object.entries(actionsOf)) {
    if (isGiven(Reflect.get(input, name)) && !actions.includes(action)) {
      return Failure.usage(`${optionOf(name)} goes with ${Screen.listed(actions, "and")}, not with ${action}`)
    }
  }
  if (actionsOf.key?.includes(action) === true && input.key === undefined) {
    return Failure.usage(`${action} needs the KEY of a payment`)
  }
  if (csv && json) return Failure.usage("choose one of --csv and --json")
  if (reader !== undefined && after !== undefined) return Failure.usage("choose one of --reader and --after")
  return action !== "report" || /^\d{4}-\d{2}-\d{2}$/.test(day ?? "")
    ? Effect.void
    : Failure.usage("report needs --day, a day of UTC such as 2026-11-23")
}

const readStates = (text: string) =>
  Effect.mapError(
    Schema.decodeUnknown(Schema.Array(PayoutState.Tag))(values.list(text)),
    () => Failure.usage(`--state takes any of ${PayoutState.Tag.literals.join(",")}`)
  )

/** A time in seconds. */
const secondOf = (option: string, text: string | undefined, end: "first" | "last") =>
  Effect.flatMap(Instant.read(option, text, end), (instant) =>
    instant?.unit === "block"
      ? Failure.usage(`${option} takes a time, not a block`)
      : Effect.succeed(instant?.value))

/** Which payouts are listed, by states and accounts, and from when to when, in Unix milliseconds. */
const filterOf = (input: PayoutsInput) =>
  Effect.gen(function*() {
    const since = yield* secondOf("--since", input.since, "first")
    const until = yield* secondOf("--until", input.until, "last")
    return {
      states: yield* ifGiven(input.state, readStates),
      from: yield* ifGiven(input.from, values.address("--from")),
      to: yield* ifGiven(input.to, values.address("--to")),
      since: (since ?? 0) * 1000,
      until: (until ?? Infinity) * 1000 + 999
    }
  })

type Filter = Effect.Effect.Success<ReturnType<typeof filterOf>>

const list = ({ csv, json }: PayoutsInput, { from, since, states, to, until }: Filter) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { list } = yield* Payouts.Payouts
    const units: payoutText.Units = new Map()
    let isEmpty = true
    let cursor: string | undefined
    do {
      const page = yield* list({ states, from, size: 1000, cursor })
      const payouts = page.items.filter((payout) =>
        payout.createdAt >= since && payout.createdAt <= until &&
        (to === undefined || payoutText.receiverOf(payout) === to)
      )
      if (json) yield* out.write(jsonLines(payouts))
      else {
        yield* payoutText.learnUnits(units, payoutText.tokensOf(payouts))
        yield* out.write(
          csv
            ? payoutText.csv(payouts, units, cursor === undefined)
            : payoutText.table(out, payouts, units, isEmpty)
        )
      }
      isEmpty &&= payouts.length === 0
      // The newest come first.
      const isPast = (page.items.at(-1)?.createdAt ?? 0) < since
      cursor = isPast ? undefined : Option.getOrUndefined(page.cursor)
    } while (cursor !== undefined)
    if (isEmpty && !json && !csv) yield* out.write("no payments\n")
  })

const show = (key: string, isJson: boolean) =>
  Effect.gen(function*() {
    const payout = yield* Effect.flatMap(Payouts.Payouts, ({ get }) => get(key))
    const units: payoutText.Units = new Map()
    if (!isJson) yield* payoutText.learnUnits(units, payoutText.tokensOf([payout]))
    yield* write(isJson, payout, (out) => payoutText.page(out, payout, units))
  })

const report = ({ csv, day = "", json }: PayoutsInput) =>
  Effect.gen(function*() {
    const made = yield* Effect.flatMap(Payouts.Payouts, ({ report }) => report(day))
    const units: payoutText.Units = new Map()
    if (!json) yield* payoutText.learnUnits(units, reportText.tokensOf(made))
    yield* write(json, made, (out) => csv ? reportText.csv(made, units) : reportText.page(out, made, units))
    return made.differences.length === 0 ? "ok" as const : "found" as const
  })

/** Approves, cancels, reconciles or resolves a payment, and shows what it is then. */
const change = (input: PayoutsInput, key: string, resolution: Payouts.Resolution | undefined) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const service = yield* Payouts.Payouts
    if (input.action === "approve") yield* service.approve(key)
    if (input.action === "cancel") yield* service.cancel(key)
    const payout = resolution !== undefined
      ? yield* resolve(service, key, resolution, input)
      : yield* (input.action === "reconcile" ? service.reconcile(key) : service.wait(key))
    yield* out.write(payoutText.line(payout, input.json))
    return payout.state._tag === "Refused" || payout.state._tag === "Unknown" ? "found" as const : "ok" as const
  })

/** `klaytn payouts`. */
export const payouts = (input: PayoutsInput) =>
  Effect.gen(function*() {
    const { action, json, key = "" } = input
    yield* check(input)
    const filter = yield* filterOf(input)
    const resolution = action === "resolve" ? yield* resolutionOf(input) : undefined
    const connection = yield* Connection.open(input, "wallet")
    const services = yield* open(input, connection, action === "approve" || action === "cancel")
    const act = Effect.gen(function*() {
      switch (action) {
        case "list":
          return yield* list(input, filter)
        case "watch":
          return yield* watch(input)
        case "report":
          return yield* report(input)
        case "show":
          return yield* show(key, json)
        default:
          return yield* change(input, key, resolution)
      }
    }).pipe(whileUsable, Effect.provide(services))
    return yield* reads.has(action) ? Screen.whileRead(act) : act
  }).pipe(Effect.scoped)
