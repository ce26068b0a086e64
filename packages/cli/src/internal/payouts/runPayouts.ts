/** Runs `klaytn payouts`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import type { PayoutWithHistory, RecordedChange } from "@effect-klaytn/payouts/Payout"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Connection from "../service/Connection.js"
import * as Failure from "../terminal/Failure.js"
import * as Instant from "../terminal/instant.js"
import { write, writeAll } from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import { managing, type PayoutsInput } from "./options.js"
import * as payoutText from "./payoutText.js"
import { nonces } from "./runNonces.js"
import { checkExists, open, storageOf, whileUsable } from "./runPay.js"
import { adopt, work } from "./runWork.js"
import * as waiting from "./waiting.js"

type Action = PayoutsInput["action"]

/** The actions that change nothing, and end as soon as their output is closed. */
const reads: ReadonlySet<Action> = new Set<Action>(["list", "show", "report", "watch"])

const isGiven = (value: unknown): boolean => value !== undefined && value !== false

/** What is wrong with the options, found before anything is opened. */
const check = (input: PayoutsInput): Effect.Effect<void, Failure.Failure> => {
  const { action, after, csv, day, json, reader } = input
  for (const [field, { actions = [action], name }] of Object.entries(managing)) {
    if (isGiven(Reflect.get(input, field)) && !actions.includes(action)) {
      return Failure.usage(`${name} goes with ${Screen.listed(actions, "and")}, not with ${action}`)
    }
  }
  if (managing.key.neededBy.includes(action) && input.key === undefined) {
    return Failure.usage(`${action} needs the KEY of a payment`)
  }
  if (csv && json) return Failure.usage("choose one of --csv and --json")
  if (reader !== undefined && after !== undefined) return Failure.usage("choose one of --reader and --after")
  return action !== "report" || /^\d{4}-\d{2}-\d{2}$/.test(day ?? "")
    ? Effect.void
    : Failure.usage("report needs --day, a day of UTC such as 2026-11-23")
}

const readStates = (states: ReadonlyArray<string>) =>
  Effect.mapError(
    Schema.decodeUnknown(Schema.Array(PayoutState.Tag))(states),
    () => Failure.usage(`--state takes any of ${PayoutState.Tag.literals.join(",")}`)
  )

/** A time in seconds. */
const secondOf = (option: string, text: string | undefined, end: "first" | "last") =>
  Effect.flatMap(Instant.read(option, text, end), (instant) =>
    instant?.unit === "block"
      ? Failure.usage(`${option} takes a time, not a block`)
      : Effect.succeed(instant?.value))

/** Which payouts are listed, by states and accounts, and from when to when, in Unix milliseconds. */
const filterOf = Effect.fnUntraced(function*(input: PayoutsInput) {
  const since = yield* secondOf("--since", input.since, "first")
  const until = yield* secondOf("--until", input.until, "last")
  return {
    states: yield* values.ifGiven(values.list(input.state), readStates),
    from: yield* values.ifGiven(input.from, values.address("--from")),
    to: yield* values.ifGiven(input.to, values.address("--to")),
    since: (since ?? 0) * 1000,
    until: (until ?? Infinity) * 1000 + 999
  }
})

type Filter = Effect.Effect.Success<ReturnType<typeof filterOf>>

const list = Effect.fnUntraced(function*({ csv, json }: PayoutsInput, { from, since, states, to, until }: Filter) {
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
    if (!json) yield* payoutText.learnUnits(units, payoutText.tokensOf(payouts))
    yield* writeAll(json, payouts, (out) =>
      csv
        ? payoutText.csv(payouts, units, cursor === undefined)
        : payoutText.table(out, payouts, units, isEmpty))
    isEmpty &&= payouts.length === 0
    // The newest come first.
    const isPast = (page.items.at(-1)?.createdAt ?? 0) < since
    cursor = isPast ? undefined : Option.getOrUndefined(page.cursor)
  } while (cursor !== undefined)
  if (isEmpty && !csv) yield* writeAll(json, [], () => "no payments\n")
})

const show = Effect.fnUntraced(function*(key: string, isJson: boolean) {
  const service = yield* Payouts.Payouts
  const payout = yield* service.get(key)
  const units: payoutText.Units = new Map()
  if (!isJson) yield* payoutText.learnUnits(units, payoutText.tokensOf([payout]))
  const limits = yield* waiting.limitsOf(service, payout)
  yield* write(isJson, payout, (out) => payoutText.page(out, payout, units, limits))
})

const report = Effect.fnUntraced(function*({ csv, day = "", json }: PayoutsInput) {
  const made = yield* Effect.flatMap(Payouts.Payouts, ({ report }) => report(day))
  const units: payoutText.Units = new Map()
  if (!json) yield* payoutText.learnUnits(units, payoutText.tokensOfReport(made))
  yield* write(json, made, (out) => csv ? payoutText.reportCsv(made, units) : payoutText.reportPage(out, made, units))
  return made.differences.length === 0 ? "ok" as const : "found" as const
})

/** Writes each change on a line, and stores the cursor of the reader when the lines were taken. */
const watch = Effect.fnUntraced(function*({ after, json, once, reader }: PayoutsInput) {
  const { out } = yield* Screen.Screen
  const { cursor, feed, storeCursor } = yield* Payouts.Payouts
  const begin = reader === undefined ? after : Option.getOrUndefined(yield* cursor(reader))
  const writePage = Effect.fnUntraced(function*(page: ReadonlyArray<RecordedChange>) {
    yield* writeAll(json, page, () => Screen.lines(page.flatMap((change) => payoutText.change(out, change))))
    const last = page.at(-1)
    const isRead = yield* out.flushed
    if (isRead && reader !== undefined && last !== undefined) yield* storeCursor(reader, last.cursor)
    return isRead
  })
  const isRead = yield* feed({ after: begin, ends: once }).pipe(
    Stream.chunks,
    Stream.mapEffect((page) => writePage(Chunk.toReadonlyArray(page))),
    Stream.takeUntil((isRead) => !isRead),
    Stream.runFold(true, (_, isRead) => isRead)
  )
  return isRead ? "ok" as const : "unread" as const
})

/** What the options say, checked before anything is opened. */
const resolutionOf = (
  { notSent, sent }: PayoutsInput
): Effect.Effect<Payouts.Resolution, Failure.Failure> => {
  if (notSent === (sent !== undefined)) {
    return Failure.usage("resolve needs one of --not-sent and --sent HASH", "klaytn payouts --help says what they do")
  }
  if (sent === undefined) return Effect.succeed({ _tag: "NotSent" })
  return Effect.mapBoth(Hash.make(sent), {
    onFailure: () => Failure.usage("--sent takes the hash of a transaction: 0x and 64 hex digits"),
    onSuccess: (transactionHash) => ({ _tag: "Sent" as const, transactionHash })
  })
}

const amountOf = ({ content: { request } }: PayoutWithHistory): string => {
  const from = Address.checksum(request.from)
  const to = Address.checksum(request.to)
  return request._tag === "Value"
    ? `${Amount.format(request.value)} from ${from} to ${to}`
    : `a call of the contract ${to} from ${from}`
}

const warningOf = (resolution: Payouts.Resolution): string =>
  resolution._tag === "NotSent"
    ? "This ends the payment for good as not made. A copy of its request that still arrives pays all the same: make sure that " +
      "none can before you pay under another key."
    : `This records ${resolution.transactionHash} as the transaction that paid it.`

/** Shows the payment and what the resolution means, and records the resolution with `--yes`. */
const resolve = Effect.fnUntraced(function*({ json, yes }: PayoutsInput, key: string, resolution: Payouts.Resolution) {
  const { error } = yield* Screen.Screen
  const service = yield* Payouts.Payouts
  const payout = yield* service.get(key)
  if (!json) {
    const checked = "The chain and the node's pool are asked first. If they contradict this, nothing is recorded."
    yield* error.write(`${Screen.clean(`${key} is ${payout.state._tag}:`)}\n`)
    const lines = [amountOf(payout), warningOf(resolution), checked]
    yield* error.write(Screen.paragraphs(error, lines.map((line) => `  ${line}`)))
  }
  if (!yes) return yield* Failure.usage("nothing was changed", "add --yes to record it")
  return yield* service.resolve(key, resolution)
})

/** Approves, cancels, reconciles or resolves a payment, and shows what it is then. Works on none. */
const change = Effect.fnUntraced(
  function*(
    input: PayoutsInput,
    action: "approve" | "cancel" | "reconcile",
    key: string,
    resolution: Payouts.Resolution | undefined
  ) {
    const { out } = yield* Screen.Screen
    const service = yield* Payouts.Payouts
    const payout = resolution !== undefined
      ? yield* resolve(input, key, resolution)
      : yield* service[action](key)
    yield* out.write(payoutText.line(payout, input.json))
    if (!input.json) yield* waiting.tellWork(service, payout)
    return ["MovedOtherwise", "Refused", "Unknown"].includes(payout.state._tag) ? "found" as const : "ok" as const
  }
)

/** `klaytn payouts`. */
export const payouts = Effect.fnUntraced(function*(input: PayoutsInput) {
  const { action, json, key = "" } = input
  yield* check(input)
  const filter = yield* filterOf(input)
  const resolution = action === "resolve" ? yield* resolutionOf(input) : undefined
  // Whatever works on payments of other machines may begin before the first one.
  if (action !== "work") yield* checkExists(input)
  yield* storageOf(input)
  const connection = yield* Connection.open(input, "wallet")
  const services = yield* open(input, connection, action === "work")
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
      case "work":
        return yield* work(input, connection.config.chain)
      case "adopt":
        return yield* adopt(input, connection.config.chain)
      case "nonces":
        return yield* nonces(input)
      case "resolve":
        return yield* change(input, "reconcile", key, resolution)
      default:
        return yield* change(input, action, key, undefined)
    }
  }).pipe(whileUsable, Effect.provide(services))
  return yield* reads.has(action) ? Screen.whileRead(act) : act
}, Effect.scoped)
