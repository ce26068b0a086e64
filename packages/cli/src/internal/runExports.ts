/** Runs `klaytn plan`, `export`, `tail` and `reconcile`. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Exports from "@effect-klaytn/exports/Exports"
import type { Manifest } from "@effect-klaytn/exports/Manifest"
import * as Plan from "@effect-klaytn/exports/Plan"
import type { Sink } from "@effect-klaytn/exports/Sink"
import * as Kind from "@effect-klaytn/history/Kind"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.js"
import * as Destination from "./destination.js"
import * as Failure from "./Failure.js"
import { fromCause } from "./failureOf.js"
import * as instant from "./instant.js"
import { toJson } from "./printed.js"
import * as progress from "./progress.js"
import type { Started } from "./sandbox.js"
import * as Screen from "./Screen.js"
import type { Shared } from "./shared.js"

interface Selection {
  readonly accounts: ReadonlyArray<string>
  readonly presets: Option.Option<string>
  readonly contracts: Option.Option<string>
  readonly kinds: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly windows: Option.Option<number>
  readonly size: Option.Option<number>
}

interface Running extends Destination.Running, Shared {
  readonly concurrency: Option.Option<number>
}

const listOf = (text: Option.Option<string>): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(text, (all) => all.split(",").map((one) => one.trim())))

const isKind = Schema.is(Kind.Kind)

const kindsOf = (text: Option.Option<string>): Either.Either<ReadonlyArray<Kind.Kind> | undefined, Failure.Failure> => {
  const kinds = listOf(text)
  const known = kinds?.filter(isKind)
  return kinds?.length === known?.length
    ? Either.right(known)
    : Either.left(Failure.usage("--kinds takes any of coin,ft,nft,mt"))
}

const instantOf = (option: "--from" | "--to", text: Option.Option<string>) =>
  Effect.transposeMapOption(text, (one) => instant.parse(option, one, option === "--from" ? "first" : "last"))

/** The selection, parsed. */
const read = (selection: Selection) =>
  Effect.gen(function*() {
    const from = yield* instantOf("--from", selection.from)
    const to = yield* instantOf("--to", selection.to)
    if (Option.isSome(from) && Option.isSome(to) && from.value.unit !== to.value.unit) {
      return yield* Failure.usage("--from and --to are a time and a block: give two of one kind")
    }
    return {
      accounts: selection.accounts.length === 0 ? undefined : selection.accounts,
      presets: listOf(selection.presets),
      contracts: listOf(selection.contracts),
      kinds: yield* kindsOf(selection.kinds),
      from: Option.getOrUndefined(from),
      to: Option.getOrUndefined(to),
      windows: Option.getOrUndefined(selection.windows),
      size: Option.getOrUndefined(selection.size)
    }
  })

type Asked = Effect.Effect.Success<ReturnType<typeof read>>

/** Everything but the range. */
const whatOf = ({ accounts, contracts, kinds, presets, size, windows }: Asked) => ({
  accounts,
  contracts,
  kinds,
  presets,
  size,
  windows
})

/** A new plan. In a sandbox, it is of the busiest account and all blocks by default. */
const makePlan = (asked: Asked, sandbox: Started | undefined) =>
  Effect.gen(function*() {
    const ofSandbox = sandbox !== undefined && asked.presets === undefined ? [sandbox.busiest] : undefined
    const accounts = asked.accounts ?? ofSandbox
    if (accounts === undefined && asked.presets === undefined) {
      return yield* Failure.usage("no account is given", "name accounts, or --presets")
    }
    const from = asked.from?.value ?? sandbox?.from
    if (from === undefined) return yield* Failure.usage("--from is not given", "such as --from 2024-01-01")
    const isBlock = asked.from?.unit === "block"
    const to = asked.to?.value ?? (isBlock ? undefined : sandbox?.to)
    const range = isBlock ? Range.blocks({ from, to }) : Range.time({ from, to })
    return yield* Plan.make({ ...whatOf(asked), accounts, range: yield* range })
  })

/** The plan that is stored, if one is. */
const storedPlan = (sink: Sink): Effect.Effect<Option.Option<Plan.Plan>, unknown> =>
  Effect.scoped(Effect.flatMap(sink.open(), (session) => session.plan)).pipe(
    Effect.asSome,
    Effect.catchIf((error) => error.reason === "stored", () => Effect.succeedNone)
  )

/** Whether the options fit the stored plan. Options that are left out fit any. */
const isStored = (asked: Asked, stored: Plan.Plan): Effect.Effect<boolean, unknown> =>
  Effect.gen(function*() {
    if (asked.to !== undefined && (asked.to.unit !== stored.unit || asked.to.value > stored.to)) return false
    if (asked.from !== undefined && (asked.from.unit !== stored.unit || asked.from.value !== stored.from)) return false
    if (asked.kinds !== undefined && String([...asked.kinds].sort()) !== String([...stored.kinds ?? []].sort())) {
      return false
    }
    if (asked.accounts === undefined && asked.presets === undefined) return true
    const range = stored.unit === "second"
      ? Range.time({ from: stored.from, to: stored.to })
      : Range.blocks({ from: stored.from, to: stored.to })
    const same = yield* Plan.make({ ...whatOf(asked), windows: 1, range: yield* range })
    return JSON.stringify(same.sources) === JSON.stringify(stored.sources)
  })

/** The place and the plan of this run: the stored one, or a new one. Nothing is made for a plan that is refused. */
const begin = (selection: Selection, running: Running) =>
  Effect.gen(function*() {
    const asked = yield* read(selection)
    const connection = yield* Connection.open(running, "history")
    const early = (yield* Destination.exists(running)) ? undefined : yield* makePlan(asked, connection.sandbox)
    const destination = yield* Destination.open(running)
    const stored = early === undefined ? yield* storedPlan(destination.sink) : Option.none()
    if (Option.isNone(stored)) {
      const plan = early ?? (yield* makePlan(asked, connection.sandbox))
      return { connection, destination, plan, isNew: true }
    }
    if (yield* isStored(asked, stored.value)) return { connection, destination, plan: stored.value, isNew: false }
    const { from, sources, to, unit } = stored.value
    return yield* Failure.usage(
      `${destination.name} holds another export: ${sources.length} ${sources.length === 1 ? "search" : "searches"}, ` +
        `${instant.format({ unit, value: from })} to ${instant.format({ unit, value: to })}`,
      "give another --out, or leave out accounts and range to go on with what is there"
    )
  })

/** The command that resumes an export. */
const resumeCommand = (name: string, { option }: Destination.Destination, { sandbox }: Shared): string =>
  `klaytn ${name}${option}${sandbox ? " --sandbox" : ""}`

/** The history of a configuration. Exports retry by themselves. */
const history = ({ config }: Connection.Connection) =>
  TransferHistory.layer().pipe(Layer.provide(Layer.succeed(ClientConfig.ClientConfig, config)))

/** Adds to a failure how to resume the export. */
const withResumeHint = (command: string) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
      const failure = fromCause(cause)
      const hints = [...failure.hints ?? [], `everything so far is stored; go on with: ${command}`]
      return Effect.fail(new Failure.Failure({ ...failure, message: failure.message, hints }))
    })
  )

/** Something worth a line of its own. */
const note = (event: Exports.Event): string | undefined => {
  switch (event._tag) {
    case "WindowUnreachable":
      return `window ${event.window.index} is out of reach: ${Screen.clean(event.note)}`
    case "WindowRestarted":
      return `window ${event.window.index} is read again: ${Screen.clean(event.reason)}`
    case "Retrying":
      return event.waitMillis < 1000
        ? undefined
        : `window ${event.window.index} waits ${Math.round(event.waitMillis / 1000)} s: ${Screen.clean(event.reason)}`
    default:
      return undefined
  }
}

/** Shows the events of an export while they come, and gives the progress at the end. */
const watch = <E, R>(
  events: Stream.Stream<Exports.Event, E, R>,
  shown: { readonly unit: "second" | "block"; readonly isJson: boolean; readonly eachPage: boolean }
) =>
  Effect.gen(function*() {
    const { error, out } = yield* Screen.Screen
    const began = yield* Clock.currentTimeMillis
    let current = progress.none
    const status = Screen.statusLine(error)
    const elapsed = Effect.map(Clock.currentTimeMillis, (now) => (now - began) / 1000)
    const draw = Effect.flatMap(elapsed, (seconds) => {
      if (current.windows === 0) return Effect.void
      if (!error.isTerminal) return error.write(`${progress.parts(current, shown.unit, seconds).join(", ")}\n`)
      return status.draw(progress.line(current, shown.unit, seconds, error.columns))
    })
    const say = (line: string) => status.above(error, `${line}\n`)
    const see = (event: Exports.Event) => {
      current = progress.after(current, event)
      if (shown.isJson) {
        const { _tag, ...fields } = event
        return out.write(`${JSON.stringify({ event: _tag, ...Object(toJson(fields)) })}\n`)
      }
      const line = note(event)
      if (line !== undefined) return say(line)
      return shown.eachPage && event._tag === "PageStored" && event.rows > 0 && !error.isTerminal
        ? say(`${event.rows} new rows, ${current.rows} in all`)
        : Effect.void
    }
    const run = Stream.runForEach(events, see)
    if (!shown.isJson) {
      const ticks = Effect.forever(Effect.zipRight(Effect.sleep(error.isTerminal ? "100 millis" : "10 seconds"), draw))
      yield* Effect.ensuring(Effect.raceFirst(run, ticks), status.clear)
    } else yield* run
    return { progress: current, seconds: yield* elapsed }
  })

/** Says on standard error how to resume when the command is interrupted. */
const onStop = (command: string, shared: Shared) =>
  Effect.onInterrupt(() =>
    Effect.flatMap(Screen.Screen, ({ error }) =>
      error.write(
        shared.json
          ? `${JSON.stringify({ stopped: { goOnWith: command } })}\n`
          : `stopped; everything so far is stored. Go on with: ${command}\n`
      ))
  )

const verdicts: Readonly<Record<Manifest["complete"], string>> = {
  yes: "complete",
  "except-rejected": "complete, except for records that could not be read: see rejected",
  no: "not complete: a part of the range is out of reach"
}

const settings = (running: Running, { budget, sink }: Destination.Destination) => ({
  sink,
  budget,
  concurrency: Option.getOrUndefined(running.concurrency)
})

/** `klaytn plan`. */
export const plan = (input: Selection & Shared & { readonly reach: boolean }) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const asked = yield* read(input)
    const connection = input.reach || input.sandbox ? yield* Connection.open(input, "history") : undefined
    const made = yield* makePlan(asked, connection?.sandbox)
    const summary = Plan.summary(made)
    const unreachable = connection !== undefined && input.reach
      ? yield* Effect.provide(Exports.unreachable(made), history(connection))
      : undefined
    if (input.json) {
      yield* out.write(`${JSON.stringify(toJson({ ...summary, unreachable }))}\n`)
      return "ok" as const
    }
    const { unit } = made
    const reach = unreachable === undefined
      ? []
      : [[
        "out of reach",
        unreachable.length === 0
          ? "nothing"
          : `${unreachable.length} windows, up to ${
            instant.format({ unit, value: Math.max(...unreachable.map(({ to }) => to)) })
          }`
      ]]
    const lines = Screen.table([
      ["range", `${instant.format({ unit, value: made.from })} to ${instant.format({ unit, value: made.to })}`],
      ["searches", `${summary.sources}, split into ${summary.windows} windows`],
      ["requests", `at least ${summary.atLeastRequests}, and one for each full page of ${made.size}`],
      ...reach,
      ...summary.advice.map((one) => ["advice", one])
    ])
    yield* out.write(Screen.lines(lines))
    return unreachable !== undefined && unreachable.length > 0 ? "found" as const : "ok" as const
  }).pipe(Effect.scoped)

/** `klaytn export`. */
export const exporting = (input: Selection & Running) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { connection, destination, isNew, plan } = yield* begin(input, input)
    const command = resumeCommand("export", destination, input)
    const { progress: ended, seconds } = yield* watch(
      Exports.events({ ...settings(input, destination), ...(isNew ? { plan } : {}) }),
      { unit: plan.unit, isJson: input.json, eachPage: false }
    ).pipe(Effect.provide(history(connection)), withResumeHint(command), onStop(command, input))
    const manifest = yield* Exports.manifest(destination.sink)
    if (!input.json) {
      const range = [plan.from, plan.to].map((value) => instant.format({ unit: plan.unit, value })).join(" to ")
      yield* out.write(
        Screen.lines([
          `${verdicts[manifest.complete]}: ${manifest.rows.toLocaleString("en-US")} rows, ${range}`,
          ...(manifest.rejected > 0 ? [`${manifest.rejected.toLocaleString("en-US")} records in rejected`] : []),
          `${ended.stored.toLocaleString("en-US")} rows of this run in ${seconds.toFixed(1)} s`,
          `in ${destination.name}: ${destination.content}`
        ])
      )
    }
    return manifest.complete === "yes" ? "ok" as const : "found" as const
  }).pipe(Effect.scoped)

/** `klaytn tail`. */
export const tail = (
  input: Selection & Running & { readonly every: Option.Option<number>; readonly indexLag: Option.Option<number> }
) =>
  Effect.gen(function*() {
    const { connection, destination, isNew, plan } = yield* begin(input, input)
    const command = resumeCommand("tail", destination, input)
    const seconds = Option.match({ onNone: () => undefined, onSome: (value: number) => `${value} seconds` as const })
    yield* watch(
      Exports.tail({
        ...settings(input, destination),
        ...(isNew ? { plan } : {}),
        pollInterval: seconds(input.every),
        indexLag: seconds(input.indexLag)
      }),
      { unit: plan.unit, isJson: input.json, eachPage: true }
    ).pipe(Effect.provide(history(connection)), withResumeHint(command), onStop(command, input))
    return "ok" as const
  }).pipe(Effect.scoped)

/** `klaytn reconcile`. */
export const reconcile = (
  input: Running & {
    readonly from: Option.Option<string>
    readonly to: Option.Option<string>
    readonly repair: boolean
  }
) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const from = Option.getOrUndefined(yield* instantOf("--from", input.from))
    const to = Option.getOrUndefined(yield* instantOf("--to", input.to))
    const connection = yield* Connection.open(input, "history")
    if (!(yield* Destination.exists(input))) return yield* Failure.usage("nothing is stored at --out")
    const destination = yield* Destination.open(input)
    const stored = yield* storedPlan(destination.sink)
    if (Option.isNone(stored)) return yield* Failure.usage(`${destination.name} holds no export`)
    const { unit } = stored.value
    if ([from, to].some((one) => one !== undefined && one.unit !== unit)) {
      return yield* Failure.usage(
        `the export is in ${unit}s: give --from and --to as ${unit === "second" ? "times" : "blocks"}`
      )
    }
    let differing = 0
    let open = 0
    yield* Exports.reconcile({
      ...settings(input, destination),
      from: from?.value,
      to: to?.value,
      repair: input.repair
    }).pipe(
      Stream.runForEach((difference) => {
        differing++
        if (!difference.repaired || difference.extra.length > 0) open++
        if (input.json) return out.write(`${JSON.stringify(toJson(difference))}\n`)
        const { extra, missing, repaired, window } = difference
        const range = [window.from, window.to].map((value) => instant.format({ unit, value })).join(" to ")
        return out.write(
          `window ${window.index}, ${range}: ${missing.length} missing${repaired ? ", now stored" : ""}, ` +
            `${extra.length} that the service does not have\n`
        )
      }),
      Effect.provide(history(connection))
    )
    if (!input.json) {
      yield* out.write(
        differing === 0 ? "no differences\n" : `${differing} ${differing === 1 ? "window differs" : "windows differ"}\n`
      )
    }
    return open === 0 ? "ok" as const : "found" as const
  }).pipe(Effect.scoped)
