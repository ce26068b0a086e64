/** Runs `klaytn plan`, `export`, `tail` and `reconcile`. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as Exports from "@effect-klaytn/exports/Exports"
import type { Manifest } from "@effect-klaytn/exports/Manifest"
import * as Plan from "@effect-klaytn/exports/Plan"
import type { Sink } from "@effect-klaytn/exports/Sink"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Shared } from "../frame/shared.js"
import * as Connection from "../service/Connection.js"
import type { ExitCode } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import { withHint } from "../terminal/failureOf.js"
import * as instant from "../terminal/instant.js"
import { jsonLine, write } from "../terminal/printed.js"
import * as progress from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import * as Destination from "./destination.js"
import { inTime, isOpenFrom } from "./fromBlock.js"
import type { ExportInput, PlanInput, ReconcileInput, TailInput } from "./options.js"
import * as Selection from "./selection.js"

/** The plan that is stored, if one is. */
const storedPlan = (sink: Sink): Effect.Effect<Plan.Plan | undefined, unknown> =>
  Effect.scoped(Effect.flatMap(sink.open(), (session) => session.plan)).pipe(
    Effect.catchIf((error) => error.reason === "stored", () => Effect.succeed(undefined))
  )

/** The place and the plan of this run: the stored one, or a new one. Nothing is made for a plan that is refused. */
const begin = Effect.fnUntraced(function*(input: ExportInput) {
  const search = yield* Selection.read(input)
  const connection = yield* Connection.open(input, "history")
  const opened = (yield* Destination.exists(input)) ? yield* Destination.open(input) : undefined
  const stored = opened && (yield* storedPlan(opened.sink))
  // A search from a block on with an open end is one of time, unless what is stored is in blocks.
  const asked = isOpenFrom(search) && stored?.unit !== "block" ? yield* inTime(search, connection) : search
  if (opened === undefined || stored === undefined) {
    const made = yield* Selection.makePlan(asked, connection.sandbox, input.indexLag)
    const destination = opened ?? (yield* Destination.open(input))
    const place = { connection, destination, isNew: true, extension: undefined }
    if (made.open !== true) return { ...place, plan: made }
    // An open end by the service's clock. The plan that it replaces was accepted, and is stored nowhere.
    const to = yield* Exports.settled(made, { budget: destination.budget, indexLag: input.indexLag }).pipe(
      Effect.provide(history(connection))
    )
    return { ...place, plan: yield* Selection.makePlan(asked, connection.sandbox, input.indexLag, to) }
  }
  const { from, sources, to, unit } = stored
  if (yield* Selection.isStored(asked, stored)) {
    const extension = Selection.extensionOf(asked, stored)
    return { connection, destination: opened, plan: stored, isNew: false, extension }
  }
  return yield* Failure.usage(
    `${opened.name} holds another export: ${sources.length} ${sources.length === 1 ? "search" : "searches"}, ` +
      instant.formatRange(unit, from, to),
    "give another --out, or in a database another --prefix",
    "or leave out accounts and range to continue what is there"
  )
})

/** The history of a configuration. Exports retry by themselves. */
const history = ({ config }: Connection.Connection) =>
  TransferHistory.layer().pipe(Layer.provide(Layer.succeed(ClientConfig.ClientConfig, config)))

/** How many IDs are named in a line; all of them are in --json. */
const mostNamed = 20

/** Records by their IDs. */
const named = (ids: ReadonlyArray<string>): string =>
  `${progress.counted(ids.length, "record")} (${ids.slice(0, mostNamed).join(", ")}${
    ids.length > mostNamed ? ", ..." : ""
  })`

/** A shorter wait is not told, in milliseconds. */
const shortestNoted = 1000

/** How often at most a wait is told, in milliseconds: all windows wait for one service. */
const retryNotes = 10_000

/** A line about an event that people should know of. */
const note = (event: Exports.Event): string | undefined => {
  switch (event._tag) {
    case "Started": {
      const { newest, version } = event.columns
      return version === newest
        ? undefined
        : `the export began with columns of version ${version} and keeps them; a new export has version ${newest}`
    }
    case "ClockDiffers":
      return `${ServiceTime.describeSkew(event.seconds)}; the export works with the service's`
    case "WindowUnreachable":
      return `window ${event.window.index} is out of reach: ${Screen.clean(event.note)}`
    case "WindowDamaged":
      return `window ${event.window.index} is damaged: ${event.problem}; klaytn reconcile --repair reads it again`
    case "WindowRechecked":
      return event.extra.length === 0
        ? undefined
        : `window ${event.window.index} has ${named(event.extra)} that the service no longer returns; they are kept`
    case "WindowRestarted":
      return `window ${event.window.index} is read again: ${Screen.clean(event.reason)}`
    case "Retrying":
      return `window ${event.window.index} waits ${Math.max(1, Math.round(event.waitMillis / 1000))} s: ${
        Screen.clean(event.reason)
      }`
    default:
      return undefined
  }
}

type Session = Effect.Effect.Success<ReturnType<typeof begin>>

/** Shows the events of an export while they come, and returns the progress at the end. */
const watch = Effect.fnUntraced(function*<E>(
  name: "export" | "tail",
  { json, once, sandbox }: Shared & { readonly once?: boolean },
  { connection, destination, plan: { unit } }: Session,
  events: Stream.Stream<Exports.Event, E, TransferHistory.TransferHistory>
) {
  const { error, out } = yield* Screen.Screen
  const status = Screen.statusLine(error)
  const began = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => (now - began) / 1000)
  let current = progress.none
  let manifest: Manifest | undefined
  const draw = Effect.flatMap(elapsed, (seconds) => {
    if (current.windows === 0) return Effect.void
    if (!error.isTerminal) return error.write(`${progress.parts(current, unit, seconds).join(", ")}\n`)
    return status.draw(progress.line(current, unit, seconds, error.columns))
  })
  const isFollowing = once === false
  let told = Number.NEGATIVE_INFINITY
  /** Whether a wait was told a moment ago, of whatever window. */
  const isTold = (event: Exports.Event): Effect.Effect<boolean> =>
    event._tag !== "Retrying" ? Effect.succeed(false) : Effect.map(Clock.currentTimeMillis, (now) => {
      if (event.waitMillis < shortestNoted || now - told < retryNotes) return true
      told = now
      return false
    })
  const show = Effect.fnUntraced(function*(event: Exports.Event) {
    current = progress.after(current, event)
    if (event._tag === "Finished") manifest = event.manifest
    if (json) {
      const { _tag, ...fields } = event
      return yield* out.write(jsonLine({ event: _tag, ...fields }))
    }
    const line = (yield* isTold(event)) ? undefined : note(event)
    if (line !== undefined) return yield* status.above(error, `${line}\n`)
    if (isFollowing && event._tag === "PageStored" && event.rows > 0 && !error.isTerminal) {
      yield* error.write(`${event.rows} new rows, ${current.rows} in all\n`)
    }
  })
  const run = Stream.runForEach(events, show)
  const resume = `klaytn ${name}${destination.option}${sandbox ? " --sandbox" : ""}`
  const stopped = json
    ? jsonLine({ stopped: { goOnWith: resume } })
    : `stopped; everything so far is stored. Continue with: ${resume}\n`
  yield* (json ? run : Screen.whileDrawing(error, status, draw)(run)).pipe(
    Effect.provide(history(connection)),
    withHint(`everything so far is stored; continue with: ${resume}`),
    Effect.onInterrupt(() => error.write(stopped))
  )
  return {
    progress: current,
    seconds: yield* elapsed,
    // The last event of an export that ends.
    manifest: manifest ?? (yield* Exports.manifest(destination.sink))
  }
})

const verdicts: Readonly<Record<Manifest["complete"], string>> = {
  yes: "complete",
  "except-rejected": "complete, except for records that could not be read: see rejected",
  no: "not complete: a part of the range is out of reach or damaged"
}

/** `klaytn plan`. */
export const plan = Effect.fnUntraced(function*(input: PlanInput) {
  const asked = yield* Selection.read(input)
  const connection = input.reach || input.sandbox ? yield* Connection.open(input, "history") : undefined
  const made = yield* Selection.makePlan(asked, connection?.sandbox, undefined)
  const summary = Plan.summary(made)
  const unreachable = connection !== undefined && input.reach
    ? yield* Effect.provide(Exports.unreachable(made), history(connection))
    : undefined
  yield* write(input.json, { ...summary, unreachable }, (out) =>
    Screen.lines(Screen.sheet(out, [
      ["range", instant.formatRange(made.unit, made.from, made.to)],
      ["searches", `${summary.sources}, split into ${summary.windows} windows`],
      ["requests", `at least ${summary.atLeastRequests}, and one for each full page of ${made.size}`],
      ...(unreachable === undefined ? [] : [["out of reach", reachOf(made.unit, unreachable)] as const]),
      ...summary.advice.map((one) => ["advice", one] as const)
    ])))
  return unreachable === undefined || unreachable.length === 0 ? "ok" as const : "found" as const
}, Effect.scoped)

const reachOf = (unit: Plan.Plan["unit"], windows: ReadonlyArray<Plan.Window>): string =>
  windows.length === 0
    ? "nothing"
    : `${windows.length} windows, up to ${instant.format({ unit, value: Math.max(...windows.map(({ to }) => to)) })}`

type Ended = Effect.Effect.Success<ReturnType<typeof watch>>

/** What a run stored, as text. */
const report = (
  {
    manifest: { complete, extra, from, overlaps, rejected, rows, to, unit },
    progress: { late, stored, unreachable },
    seconds
  }: Ended,
  { content, name }: Destination.Destination
): ReadonlyArray<string> => [
  `${verdicts[unreachable > 0 ? "no" : complete]}: ${progress.number(rows)} rows, ${
    instant.formatRange(unit, from, to)
  }`,
  ...(rejected > 0 ? [`${progress.number(rejected)} records in rejected`] : []),
  ...(extra > 0
    ? [`${progress.counted(extra, "record")} that the service no longer returns, kept: klaytn reconcile names them`]
    : []),
  ...(overlaps > 0
    ? [`${progress.counted(overlaps, "row")} that may be twice: the service repeated a record, or has two equal ones`]
    : []),
  `${progress.number(stored)} rows of this run in ${seconds.toFixed(1)} s` +
  (late > 0 ? `; ${progress.number(late)} of them were indexed late` : ""),
  `in ${name}: ${content}`
]

/** With `--exit-code`, what this run stored and met; without, what the export is. */
const exitOf = (
  { manifest, progress: { extra, rejected, stored, unreachable } }: Ended,
  { exitCode }: ExportInput
): ExitCode => {
  // A part that was stored and can't be looked at again may have got late records.
  if (!exitCode) return manifest.complete === "yes" && unreachable === 0 ? "ok" : "found"
  // A part of the range that is not stored is never "nothing new".
  if (rejected + unreachable + extra > 0 || manifest.complete === "no") return "found"
  return stored > 0 ? "ok" : "unchanged"
}

/** The options of this run. */
const optionsOf = (input: ExportInput, { destination: { budget, sink }, isNew, plan }: Session) => ({
  sink,
  budget,
  concurrency: input.concurrency,
  indexLag: input.indexLag,
  plan: isNew ? plan : undefined
})

/** Runs an export to its end: begins or finishes it, or brings it up to date. */
const toEnd = Effect.fnUntraced(function*(name: "export" | "tail", input: ExportInput) {
  const { out } = yield* Screen.Screen
  const begun = yield* begin(input)
  const options = optionsOf(input, begun)
  const extension = begun.extension ?? (name === "tail" && !begun.isNew ? {} : undefined)
  const events = extension === undefined
    ? Exports.events(options)
    : Exports.catchUp({ ...options, ...extension, recheck: input.recheck })
  const ended = yield* watch(name, input, begun, events)
  if (!input.json) yield* out.write(Screen.paragraphs(out, report(ended, begun.destination)))
  return exitOf(ended, input)
}, Effect.scoped)

/** `klaytn export`. */
export const exporting = (input: ExportInput) => toEnd("export", input)

/** `klaytn tail`. */
export const tail = (input: TailInput) =>
  input.once ? toEnd("tail", input) : Effect.gen(function*() {
    const begun = yield* begin(input)
    const events = Exports.tail({ ...optionsOf(input, begun), pollInterval: input.every })
    yield* watch("tail", input, begun, events)
  }).pipe(Effect.scoped)

const differenceText = (unit: Plan.Plan["unit"], difference: Exports.Difference): string => {
  const { damage, extra, missing, problem, removed, repaired, status, window } = difference
  const kept = extra.filter((id) => !removed.includes(id))
  const lines = [
    ...(damage === undefined ? [] : [`damaged: ${damage}${repaired ? "; read again" : ""}`]),
    ...(problem === undefined
      ? [`${missing.length} missing${repaired ? ", now stored" : ""}, ${extra.length} that the service does not have`]
      : [`${isStored(status) ? "stored, but can't be compared" : "not stored"}: ${Screen.clean(problem)}`]),
    ...(kept.length === 0 ? [] : [`kept: ${named(kept)}`]),
    ...(removed.length === 0 ? [] : [`removed: ${named(removed)}`])
  ]
  return `window ${window.index}, ${instant.formatRange(unit, window.from, window.to)}: ${lines.join("\n  ")}\n`
}

const isStored = (status: Exports.Difference["status"]): boolean => status === "closed" || status === "damaged"

/** Whether a window still differs, or is not whole. One that the service no longer serves is neither. */
const isUnresolved = ({ extra, missing, removed, repaired, status }: Exports.Difference): boolean =>
  status !== "closed" || extra.length > removed.length || missing.length > 0 && !repaired

/** What a comparison found, in a line. */
const comparison = (found: ReadonlyArray<Exports.Difference>): string => {
  const counted = (windows: number, one: string, several: string): ReadonlyArray<string> =>
    windows === 0 ? [] : [windows === 1 ? `1 window ${one}` : `${windows} windows ${several}`]
  const holes = found.filter(({ status }) => !isStored(status)).length
  const damaged = found.filter(({ status }) => status === "damaged").length
  const uncompared = found.filter(({ problem, status }) => status === "closed" && problem !== undefined).length
  const differing = found.length - holes - damaged - uncompared
  return [
    ...(differing + damaged + holes === 0 ? ["no differences"] : []),
    ...counted(differing, "differs", "differ"),
    ...counted(damaged, "is damaged", "are damaged"),
    ...counted(holes, "is not stored", "are not stored"),
    ...counted(uncompared, "can't be compared", "can't be compared")
  ].join(", ")
}

/** IDs that were to be removed and were not. */
const leftOf = (remove: ReadonlySet<string>, found: ReadonlyArray<Exports.Difference>): ReadonlyArray<string> => {
  const removed = new Set(found.flatMap((one) => one.removed))
  return [...remove].filter((id) => !removed.has(id))
}

/** `klaytn reconcile`. */
export const reconcile = Effect.fnUntraced(function*(input: ReconcileInput) {
  const { out } = yield* Screen.Screen
  const from = yield* instant.read("--from", input.from, "first")
  const to = yield* instant.read("--to", input.to, "last")
  const connection = yield* Connection.open(input, "history")
  if (!(yield* Destination.exists(input))) return yield* Failure.usage("nothing is stored at --out")
  const { budget, name, sink } = yield* Destination.open(input)
  const stored = yield* storedPlan(sink)
  if (stored === undefined) return yield* Failure.usage(`${name} holds no export`)
  const { unit } = stored
  if ([from, to].some((one) => one !== undefined && one.unit !== unit)) {
    return yield* Failure.usage(
      `the export is in ${unit}s: give --from and --to as ${unit === "second" ? "times" : "blocks"}`
    )
  }
  const { concurrency, repair } = input
  const asked = values.list(input.remove)
  const remove = asked === undefined ? undefined : asked.includes("all") ? "all" as const : new Set(asked)
  const found: Array<Exports.Difference> = []
  yield* Exports.reconcile({ sink, budget, concurrency, repair, remove, from: from?.value, to: to?.value }).pipe(
    Stream.runForEach((difference) => {
      found.push(difference)
      return write(input.json, difference, () => differenceText(unit, difference))
    }),
    Effect.provide(history(connection))
  )
  if (!input.json) yield* out.write(`${comparison(found)}\n`)
  const left = remove === undefined || remove === "all" ? [] : leftOf(remove, found)
  if (left.length > 0) {
    const { error } = yield* Screen.Screen
    yield* error.write(
      `not removed: ${
        left.join(", ")
      }; only what an earlier reconcile named, and the service still does not return, is\n`
    )
  }
  return left.length > 0 || found.some(isUnresolved) ? "found" as const : "ok" as const
}, Effect.scoped)
