/**
 * The directory of an export: what belongs to it, and how its files are written and removed. A link is never followed, and
 * nothing is written over or removed that no record of the export names.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Plan } from "../Plan.js"
import { isSameExport, SinkError, WindowState } from "../Sink.js"
import { lockName } from "./directoryLock.js"
import { sinkError } from "./storageFault.js"

/** A line of `windows.ndjson`. */
export const Recorded = Schema.Struct({
  state: WindowState,
  part: Schema.NullOr(Schema.String),
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.Int,
  rejected: Schema.NullOr(Schema.String)
})

export type Recorded = typeof Recorded.Type

/** The folders of the parts. */
export const folders = ["parts", "rejected"] as const

/** The files beside them. */
const files = ["plan.json", "windows.ndjson", "begun.ndjson", "manifest.json"] as const

type FileName = (typeof files)[number]

const io = <A, R>(effect: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, SinkError, R> =>
  Effect.mapError(effect, sinkError)

const encoder = new TextEncoder()

const isNotFound = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/** What is in the way, by at most three names. */
const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name)).join(", ")
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

/** A name that the lock has, also while it is made. */
const isOfLock = (name: string): boolean => name === lockName || name.startsWith(`${lockName}.`)

const encodePlan = (plan: Plan): string => `${JSON.stringify(Schema.encodeSync(Plan)(plan))}\n`

/** The place of a part as a record names it. Nothing else is ever removed. */
const partName = /^(?:parts|rejected)\/\d{6,}-\d+\.(?:ndjson|csv)$/

export const make = Effect.fnUntraced(function*(directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const at = (...names: ReadonlyArray<string>): string => path.join(directory, ...names)

  const foreign = (problem: string): SinkError => new SinkError({ reason: "foreign", problem })

  /** Whether something has a name, what a link points to aside. */
  const kindOf = (name: string): Effect.Effect<"link" | "folder" | "file" | undefined, SinkError> =>
    Effect.flatMap(Effect.option(fs.readLink(name)), (link) =>
      Option.isSome(link) ? Effect.succeed("link") : io(
        Effect.map(fs.stat(name), ({ type }) => type === "Directory" ? "folder" as const : "file" as const).pipe(
          Effect.catchIf(isNotFound, () => Effect.succeed(undefined))
        )
      ))

  /** Makes the names in a directory durable. Not every system lets a directory be opened; those need no sync. */
  const syncDirectory = (name: string): Effect.Effect<void> =>
    Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(name, { flag: "r" }), (file) => file.sync)))

  /** Replaces a file, or leaves the old one. */
  const replace = (name: FileName, text: string): Effect.Effect<void, SinkError> =>
    io(Effect.gen(function*() {
      const temporary = at(`${name}.tmp`)
      yield* Effect.scoped(Effect.gen(function*() {
        const file = yield* fs.open(temporary, { flag: "w" })
        if (text !== "") yield* file.writeAll(encoder.encode(text))
        yield* file.sync
      }))
      yield* fs.rename(temporary, at(name))
      yield* syncDirectory(directory)
    }))

  const read = (name: string): Effect.Effect<string | undefined, SinkError> =>
    io(Effect.catchIf(fs.readFileString(at(name)), isNotFound, () => Effect.succeed(undefined)))

  const decode = <A, I>(name: FileName, schema: Schema.Schema<A, I>, text: string): Effect.Effect<A, SinkError> =>
    Effect.mapError(
      Schema.decode(Schema.parseJson(schema))(text),
      () => foreign(`${at(name)} was not written by this version of an export; name another directory`)
    )

  const storedPlan: Effect.Effect<Plan | undefined, SinkError> = Effect.flatMap(
    read("plan.json"),
    (text) => text === undefined ? Effect.succeed(undefined) : decode("plan.json", Plan, text)
  )

  const storePlan = (plan: Plan): Effect.Effect<void, SinkError> => replace("plan.json", encodePlan(plan))

  /** The names of an export must be its own files and folders: a link would lead out of the directory. */
  const checkKinds: Effect.Effect<void, SinkError> = Effect.forEach(
    [...folders, lockName, ...files.flatMap((name) => [name, `${name}.tmp`])],
    (name) =>
      Effect.flatMap(kindOf(at(name)), (kind) => {
        const wanted = folders.some((folder) => folder === name) ? "folder" : "file"
        return kind === undefined || kind === wanted
          ? Effect.void
          : foreign(`${at(name)} is a ${kind}, and an export keeps a ${wanted} there; name another directory`)
      }),
    { discard: true }
  )

  /** Whether the only thing beside the lock is a plan that was being written when its process died. */
  const isBeginning = (names: ReadonlyArray<string>, plan: Plan): Effect.Effect<boolean, SinkError> =>
    names.length === 0
      ? Effect.succeed(true)
      : names.length > 1 || names[0] !== "plan.json.tmp"
      ? Effect.succeed(false)
      : Effect.flatMap(kindOf(at("plan.json.tmp")), (kind) =>
        kind === "file"
          ? Effect.map(read("plan.json.tmp"), (text = "") => encodePlan(plan).startsWith(text))
          : Effect.succeed(false))

  const none = new SinkError({ reason: "stored", problem: `no export is stored in ${directory}; pass a plan` })

  /** The plan that is stored. Refuses a directory of something else, and changes nothing. */
  const inspect = (newPlan: Plan | undefined): Effect.Effect<Plan | undefined, SinkError> =>
    Effect.gen(function*() {
      const kind = yield* Effect.catchIf(
        Effect.map(fs.stat(directory), ({ type }) => type),
        isNotFound,
        () => Effect.succeed(undefined)
      ).pipe(io)
      if (kind === undefined) return newPlan === undefined ? yield* none : undefined
      if (kind !== "Directory") {
        return yield* foreign(`${directory} is no directory; name one for the files of the export`)
      }
      const names = (yield* io(fs.readDirectory(directory))).filter((name) => !isOfLock(name)).sort()
      if (!names.includes("plan.json")) {
        const isFree = newPlan === undefined ? names.length === 0 : yield* isBeginning(names, newPlan)
        if (!isFree) {
          return yield* foreign(
            `${directory} holds no export but something else: ${listed(names)}; name an empty directory or a new one`
          )
        }
        return newPlan === undefined ? yield* none : undefined
      }
      yield* checkKinds
      const found = yield* storedPlan
      if (found !== undefined && newPlan !== undefined && !isSameExport(newPlan, found)) {
        return yield* new SinkError({
          reason: "stored",
          problem: `another export is stored in ${directory}; name another directory`
        })
      }
      return found
    })

  /** The whole lines of a file. A line without its end was being written when the process died: it is cut off. */
  const lines = (name: FileName): Effect.Effect<ReadonlyArray<string>, SinkError> =>
    Effect.gen(function*() {
      const text = (yield* read(name)) ?? ""
      const whole = text.slice(0, text.lastIndexOf("\n") + 1)
      if (whole.length < text.length) yield* replace(name, whole)
      return whole.split("\n").filter((one) => one !== "")
    })

  /** Removes a part, which may be gone. */
  const removePart = (name: string): Effect.Effect<void, SinkError> =>
    partName.test(name.replace(/\.partial$/, ""))
      ? io(Effect.catchIf(fs.remove(at(name)), isNotFound, () => Effect.void))
      : Effect.void

  /** What is recorded of each window. What earlier processes began and did not record is removed. */
  const recover: Effect.Effect<Map<number, Recorded>, SinkError> = Effect.gen(function*() {
    const recorded = new Map<number, Recorded>()
    const named = new Set<string>()
    for (const line of yield* lines("windows.ndjson")) {
      const record = yield* decode("windows.ndjson", Recorded, line)
      recorded.set(record.state.window, record)
      for (const name of [record.part, record.rejected]) if (name !== null) named.add(name)
    }
    for (const line of yield* lines("begun.ndjson")) {
      named.add(yield* decode("begun.ndjson", Schema.String, line))
    }
    for (const { part, rejected } of recorded.values()) for (const name of [part, rejected]) named.delete(name ?? "")
    for (const name of named) {
      yield* removePart(name)
      yield* removePart(`${name}.partial`)
    }
    yield* replace("begun.ndjson", "")
    return recorded
  })

  /** The text of a part. */
  const readPart = (name: string): Effect.Effect<string, SinkError> =>
    Effect.flatMap(kindOf(at(name)), (kind) =>
      kind === "file"
        ? io(fs.readFileString(at(name)))
        : foreign(`${at(name)} is ${kind === undefined ? "gone" : `a ${kind}`}, and a file of the export was there`))

  return {
    path: directory,
    at,
    fs,
    inspect,
    kindOf,
    none,
    readPart,
    recover,
    removePart,
    replace,
    storePlan,
    syncDirectory
  }
})

export type Directory = Effect.Effect.Success<ReturnType<typeof make>>
