/** Runs `klaytn plan`, `export`, `tail` and `reconcile`. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Exports from "@effect-klaytn/exports/Exports"
import type { Manifest } from "@effect-klaytn/exports/Manifest"
import * as Plan from "@effect-klaytn/exports/Plan"
import type { Sink } from "@effect-klaytn/exports/Sink"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.js"
import * as Destination from "./destination.js"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import { withHint } from "./failureOf.js"
import * as instant from "./instant.js"
import { toJson } from "./printed.js"
import * as progress from "./progress.js"
import * as Screen from "./Screen.js"
import * as Selection from "./selection.js"
import type { Shared } from "./shared.js"

interface Running extends Destination.Running, Shared {
  readonly concurrency: Option.Option<number>
}

interface CatchingUp {
  /** Seconds. */
  readonly indexLag: Option.Option<number>
  /** Days. */
  readonly recheck: Option.Option<number>
  readonly exitCode: boolean
}

const lagOf = ({ indexLag }: Pick<CatchingUp, "indexLag">): Duration.Duration | undefined =>
  Option.getOrUndefined(Option.map(indexLag, Duration.seconds))

/** The plan that is stored, if one is. */
const storedPlan = (sink: Sink): Effect.Effect<Option.Option<Plan.Plan>, unknown> =>
  Effect.scoped(Effect.flatMap(sink.open(), (session) => session.plan)).pipe(
    Effect.asSome,
    Effect.catchIf((error) => error.reason === "stored", () => Effect.succeedNone)
  )

/** The place and the plan of this run: the stored one, or a new one. Nothing is made for a plan that is refused. */
const begin = (input: Selection.Selection & Running & CatchingUp) =>
  Effect.gen(function*() {
    const asked = yield* Selection.read(input)
    const connection = yield* Connection.open(input, "history")
    const newPlan = Selection.makePlan(asked, connection.sandbox, lagOf(input))
    const early = (yield* Destination.exists(input)) ? undefined : yield* newPlan
    const destination = yield* Destination.open(input)
    const stored = early === undefined ? yield* storedPlan(destination.sink) : Option.none()
    if (Option.isNone(stored)) {
      const plan = early ?? (yield* newPlan)
      return { connection, destination, plan, isNew: true, extension: Option.none() }
    }
    if (yield* Selection.isStored(asked, stored.value)) {
      const extension = Selection.extensionOf(asked, stored.value)
      return { connection, destination, plan: stored.value, isNew: false, extension }
    }
    const { from, sources, to, unit } = stored.value
    return yield* Failure.usage(
      `${destination.name} holds another export: ${sources.length} ${sources.length === 1 ? "search" : "searches"}, ` +
        `${instant.format({ unit, value: from })} to ${instant.format({ unit, value: to })}`,
      "give another --out, or in a database another --prefix",
      "or leave out accounts and range to go on with what is there"
    )
  })

/** The command that resumes an export. */
const resumeCommand = (name: string, { option }: Destination.Destination, { sandbox }: Shared): string =>
  `klaytn ${name}${option}${sandbox ? " --sandbox" : ""}`

/** The history of a configuration. Exports retry by themselves. */
const history = ({ config }: Connection.Connection) =>
  TransferHistory.layer().pipe(Layer.provide(Layer.succeed(ClientConfig.ClientConfig, config)))

/** Adds to a failure how to resume the export. */
const withResumeHint = (command: string) => withHint(`everything so far is stored; go on with: ${command}`)

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
export const plan = (input: Selection.Selection & Shared & { readonly reach: boolean }) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const asked = yield* Selection.read(input)
    const connection = input.reach || input.sandbox ? yield* Connection.open(input, "history") : undefined
    const made = yield* Selection.makePlan(asked, connection?.sandbox, undefined)
    const summary = Plan.summary(made)
    const unreachable = connection !== undefined && input.reach
      ? yield* Effect.provide(Exports.unreachable(made), history(connection))
      : undefined
    if (input.json) {
      yield* out.write(`${JSON.stringify(toJson({ ...summary, unreachable }))}\n`)
      return "ok" as const
    }
    const { unit } = made
    const reach: ReadonlyArray<readonly [string, string]> = unreachable === undefined
      ? []
      : [[
        "out of reach",
        unreachable.length === 0
          ? "nothing"
          : `${unreachable.length} windows, up to ${
            instant.format({ unit, value: Math.max(...unreachable.map(({ to }) => to)) })
          }`
      ]]
    const lines = Screen.sheet(out, [
      ["range", `${instant.format({ unit, value: made.from })} to ${instant.format({ unit, value: made.to })}`],
      ["searches", `${summary.sources}, split into ${summary.windows} windows`],
      ["requests", `at least ${summary.atLeastRequests}, and one for each full page of ${made.size}`],
      ...reach,
      ...summary.advice.map((one) => ["advice", one] as const)
    ])
    yield* out.write(Screen.lines(lines))
    return unreachable !== undefined && unreachable.length > 0 ? "found" as const : "ok" as const
  }).pipe(Effect.scoped)

const count = (value: number): string => value.toLocaleString("en-US")

/** What a run stored, as text. */
const report = (
  manifest: Manifest,
  { progress: ended, seconds }: Effect.Effect.Success<ReturnType<typeof watch>>,
  destination: Destination.Destination
): ReadonlyArray<string> => {
  const { from, rejected, rows, to, unit } = manifest
  const range = [from, to].map((value) => instant.format({ unit, value })).join(" to ")
  return [
    `${verdicts[manifest.complete]}: ${count(rows)} rows, ${range}`,
    ...(rejected > 0 ? [`${count(rejected)} records in rejected`] : []),
    `${count(ended.stored)} rows of this run in ${seconds.toFixed(1)} s` +
    (ended.late > 0 ? `; ${count(ended.late)} of them were indexed late` : ""),
    `in ${destination.name}: ${destination.content}`
  ]
}

/** With `--exit-code`, what this run stored and met; without, what the export is. */
const exitOf = (
  manifest: Manifest,
  { rejected, stored, unreachable }: progress.Progress,
  { exitCode }: CatchingUp
): ExitCode => {
  if (!exitCode) return manifest.complete === "yes" ? "ok" : "found"
  if (rejected + unreachable > 0) return "found"
  return stored > 0 ? "ok" : "unchanged"
}

/** Runs an export to its end: begins or finishes it, or brings it up to date. */
const toEnd = (
  name: "export" | "tail",
  input: Selection.Selection & Running & CatchingUp,
  extensionOf: (extension: Option.Option<{ readonly to?: number }>) => Option.Option<{ readonly to?: number }>
) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { connection, destination, extension, isNew, plan } = yield* begin(input)
    const command = resumeCommand(name, destination, input)
    const options = { ...settings(input, destination), ...(isNew ? { plan } : {}) }
    const recheck = Option.getOrUndefined(Option.map(input.recheck, Duration.days))
    const events = Option.match(isNew ? Option.none() : extensionOf(extension), {
      onNone: () => Exports.events(options),
      onSome: ({ to }) => Exports.catchUp({ ...options, to, indexLag: lagOf(input), recheck })
    })
    const ended = yield* watch(events, { unit: plan.unit, isJson: input.json, eachPage: false }).pipe(
      Effect.provide(history(connection)),
      withResumeHint(command),
      onStop(command, input)
    )
    const manifest = yield* Exports.manifest(destination.sink)
    if (!input.json) {
      const lines = report(manifest, ended, destination).flatMap((line) => Screen.prose(out, line))
      yield* out.write(Screen.lines(lines))
    }
    return exitOf(manifest, ended.progress, input)
  }).pipe(Effect.scoped)

/** `klaytn export`. */
export const exporting = (input: Selection.Selection & Running & CatchingUp) => toEnd("export", input, (one) => one)

/** `klaytn tail`. */
export const tail = (
  input: Selection.Selection & Running & CatchingUp & {
    readonly every: Option.Option<number>
    readonly once: boolean
  }
) =>
  input.once ? toEnd("tail", input, Option.orElseSome(() => ({}))) : Effect.gen(function*() {
    const { connection, destination, isNew, plan } = yield* begin(input)
    const command = resumeCommand("tail", destination, input)
    yield* watch(
      Exports.tail({
        ...settings(input, destination),
        ...(isNew ? { plan } : {}),
        pollInterval: Option.getOrUndefined(Option.map(input.every, Duration.seconds)),
        indexLag: lagOf(input)
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
    const from = Option.getOrUndefined(yield* Selection.instantOf("--from", input.from))
    const to = Option.getOrUndefined(yield* Selection.instantOf("--to", input.to))
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
