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
import * as Stream from "effect/Stream"
import { Plan, Window } from "../Plan.js"
import { Extra, isSameExport, SinkError, WindowState } from "../Sink.js"
import { lockName } from "./directoryLock.js"
import type { Joined } from "./joining.js"
import * as joining from "./joining.js"
import type { Source } from "./source.js"
import { io, sinkError } from "./storageFault.js"
import * as storedPlan from "./storedPlan.js"

/** A file of a window: its place, and the first and the last second or block of its rows, where that is known. */
export const File = Schema.Struct({
  name: Schema.String,
  /** Of the rejected records of older programs neither is known. */
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  from: Schema.NullOr(Schema.Int),
  to: Schema.NullOr(Schema.Int),
  /** When it was last changed, in milliseconds: one that was changed since is read when the directory is opened. */
  modified: Schema.optional(Schema.Number)
})

export type File = typeof File.Type

/** What is recorded of a window. */
export interface Recorded {
  readonly state: WindowState
  readonly parts: ReadonlyArray<File>
  readonly rejected: ReadonlyArray<File>
}

/** A line of `windows.ndjson`. Without files it leaves those of the line before of its window as they are. */
const Line = Schema.Struct({
  state: WindowState,
  parts: Schema.optional(Schema.Array(File)),
  rejected: Schema.optional(Schema.Array(File)),
  /** The windows that became this one, which the plan may still name. */
  joined: Schema.optional(Schema.Struct({ window: Window, members: Schema.Array(Window) }))
})

/** The same of programs for which a window had one part at most. */
const OldLine = Schema.Struct({
  state: WindowState,
  part: Schema.NullOr(Schema.String),
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.Int,
  rejected: Schema.NullOr(Schema.String)
})

const unknownFile = { sha256: null, bytes: null, from: null, to: null }

const ofLine = (line: typeof Line.Type | typeof OldLine.Type, before: Recorded | undefined): Recorded => {
  if (!("part" in line)) {
    const { parts = before?.parts ?? [], rejected = before?.rejected ?? [], state } = line
    return { state, parts, rejected }
  }
  const { bytes, part, rejected, sha256, state } = line
  return {
    state,
    parts: part === null ? [] : [{ ...unknownFile, name: part, sha256, bytes }],
    rejected: rejected === null ? [] : [{ ...unknownFile, name: rejected }]
  }
}

/**
 * The line of a window, without files that the line before has. One of a single part names it, also as `part`, the only name that
 * older versions had.
 */
export const lineOf = ({ parts, rejected, state }: Recorded, before: Recorded | undefined, joined?: Joined): string =>
  JSON.stringify({
    ...Schema.encodeSync(Line)({
      state,
      ...(parts === before?.parts && parts.length > 1 ? {} : { parts }),
      ...(rejected === before?.rejected ? {} : { rejected }),
      ...(joined === undefined ? {} : { joined })
    }),
    ...(parts.length > 1 ? {} : { part: parts[0]?.name ?? null })
  })

const encodeExtra = Schema.encodeSync(Schema.parseJson(Extra))

/** The lines of marks. */
export const extraLines = (marks: ReadonlyArray<Extra>): string => marks.map((one) => `${encodeExtra(one)}\n`).join("")

/** The folders of the parts. */
export const folders = ["parts", "rejected"] as const

/** The files beside them. */
const files = ["plan.json", "windows.ndjson", "begun.ndjson", "extra.ndjson", "manifest.json", "load.sql"] as const

type FileName = (typeof files)[number]

const encoder = new TextEncoder()

const isNotFound = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/** What is read of a file; `undefined` if there is none. */
const ifThere = <A>(read: Effect.Effect<A, PlatformError>): Effect.Effect<A | undefined, SinkError> =>
  io(Effect.catchIf(read, isNotFound, () => Effect.succeed(undefined)))

/** What is in the way, by at most three names. */
const listed = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name)).join(", ")
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

/** A name that the lock has, also while it is made. */
const isOfLock = (name: string): boolean => name === lockName || name.startsWith(`${lockName}.`)

/** Whether a text is a plan, or the beginning of one. */
const isPlanBegun = (text: string): boolean =>
  Plan.fields.version.literals.map((version) => `{"version":${version},"sources":[`).some((begins) =>
    text.startsWith(begins) || begins.startsWith(text)
  )

/** The place of a part as a record names it. Nothing else is ever removed. */
const partName = /^(?:parts|rejected)\/\d{6,}-\d+\.(?:ndjson|csv|parquet)$/

const parsed = Schema.decodeOption(Schema.parseJson())

export const foreign = (problem: string): SinkError => new SinkError({ reason: "foreign", problem })

export const stored = (problem: string): SinkError => new SinkError({ reason: "stored", problem })

export class ExportDirectory {
  constructor(readonly path: string, readonly fs: FileSystem.FileSystem, private readonly paths: Path.Path) {}

  at(...names: ReadonlyArray<string>): string {
    return this.paths.join(this.path, ...names)
  }

  get none(): SinkError {
    return stored(`no export is stored in ${this.path}; pass a plan`)
  }

  /** Whether something has a name, what a link points to aside. */
  kindOf(name: string): Effect.Effect<"link" | "folder" | "file" | undefined, SinkError> {
    const file = this.at(name)
    return Effect.flatMap(
      Effect.option(this.fs.readLink(file)),
      (link) =>
        Option.isSome(link) ? Effect.succeed("link") : ifThere(
          Effect.map(this.fs.stat(file), ({ type }) => type === "Directory" ? "folder" : "file")
        )
    )
  }

  /** Makes the names in a directory durable. Not every system lets a directory be opened; those need no sync. */
  syncDirectory(name: string): Effect.Effect<void> {
    return Effect.ignore(Effect.scoped(Effect.flatMap(this.fs.open(name, { flag: "r" }), (file) => file.sync)))
  }

  /** Replaces a file, or leaves the old one. */
  replace(name: FileName, text: string): Effect.Effect<void, SinkError> {
    return io(Effect.gen(this, function*() {
      const temporary = this.at(`${name}.tmp`)
      yield* Effect.scoped(Effect.gen(this, function*() {
        const file = yield* this.fs.open(temporary, { flag: "w" })
        if (text !== "") yield* file.writeAll(encoder.encode(text))
        yield* file.sync
      }))
      yield* this.fs.rename(temporary, this.at(name))
      yield* this.syncDirectory(this.path)
    }))
  }

  storePlan(plan: Plan): Effect.Effect<void, SinkError> {
    return this.replace("plan.json", `${storedPlan.encode(plan)}\n`)
  }

  #read(name: string): Effect.Effect<string | undefined, SinkError> {
    return ifThere(this.fs.readFileString(this.at(name)))
  }

  #decode<A, I>(name: FileName, schema: Schema.Schema<A, I>, text: string): Effect.Effect<A, SinkError> {
    return Effect.mapError(Schema.decode(Schema.parseJson(schema))(text), () => this.#unreadable(name))
  }

  #unreadable(name: FileName): SinkError {
    return foreign(`${this.at(name)} was not written by this version of an export; name another directory`)
  }

  /** The names of an export must be its own files and folders: a link would lead out of the directory. */
  #checkKinds(): Effect.Effect<void, SinkError> {
    return Effect.forEach(
      [...folders, lockName, ...files.flatMap((name) => [name, `${name}.tmp`])],
      (name) =>
        Effect.flatMap(this.kindOf(name), (kind) => {
          const wanted = folders.some((folder) => folder === name) ? "folder" : "file"
          return kind === undefined || kind === wanted
            ? Effect.void
            : foreign(`${this.at(name)} is a ${kind}, and an export keeps a ${wanted} there; name another directory`)
        }),
      { discard: true }
    )
  }

  /** Whether the only thing beside the lock is a plan that was being written when its process died. */
  #isBeginning(names: ReadonlyArray<string>): Effect.Effect<boolean, SinkError> {
    return Effect.gen(this, function*() {
      const [name] = names
      if (name === undefined) return true
      if (names.length > 1 || name !== "plan.json.tmp" || (yield* this.kindOf(name)) !== "file") return false
      const text = (yield* this.#read(name)) ?? ""
      return isPlanBegun(text)
    })
  }

  /** The plan that is stored, if there is one. Refuses a directory of something else, and changes nothing. */
  inspect(newPlan: Plan | undefined): Effect.Effect<Plan | undefined, SinkError> {
    return Effect.gen(this, function*() {
      const there = yield* ifThere(this.fs.stat(this.path))
      if (there === undefined) return undefined
      if (there.type !== "Directory") {
        return yield* foreign(`${this.path} is no directory; name one for the files of the export`)
      }
      const names = (yield* io(this.fs.readDirectory(this.path))).filter((name) => !isOfLock(name)).sort()
      if (!names.includes("plan.json")) {
        return (yield* this.#isBeginning(names)) ? undefined : yield* foreign(
          `${this.path} holds no export but something else: ${listed(names)}; name an empty directory or a new one`
        )
      }
      yield* this.#checkKinds()
      const text = yield* this.#read("plan.json")
      if (text === undefined) return undefined
      const found = yield* storedPlan.decode(text, () => this.#unreadable("plan.json"))
      if (newPlan !== undefined && !isSameExport(newPlan, found)) {
        return yield* stored(`another export is stored in ${this.path}; name another directory`)
      }
      return found
    })
  }

  /**
   * Passes the whole lines of a file on, one after the other. A last line without its end, or one that is no JSON, was being
   * written when the process died: it is cut off.
   */
  #eachLine<E>(name: FileName, use: (line: string) => Effect.Effect<void, E>): Effect.Effect<void, E | SinkError> {
    return Effect.gen(this, function*() {
      const kind = yield* this.kindOf(name)
      if (kind === undefined) return
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
      let begun = ""
      /** The last line that has its end. */
      let last: string | undefined
      /** How many bytes the lines before it have. */
      let before = 0
      const next = (line: string): Effect.Effect<void, E> => {
        const whole = last
        last = line
        if (whole === undefined) return Effect.void
        before += encoder.encode(whole).length + 1
        return whole === "" ? Effect.void : use(whole)
      }
      yield* Stream.runForEach(Stream.mapError(this.fs.stream(this.at(name)), sinkError), (bytes) => {
        const lines = (begun + decoder.decode(bytes, { stream: true })).split("\n")
        begun = lines.pop() ?? ""
        return Effect.forEach(lines, next, { discard: true })
      })
      const isTorn = last !== undefined && Option.isNone(parsed(last))
      if (last !== undefined && !isTorn) yield* next("")
      if (isTorn || begun !== "" || decoder.decode() !== "") yield* this.#cut(name, before)
    })
  }

  /** Cuts off what is behind so many bytes of a file. */
  #cut(name: FileName, bytes: number): Effect.Effect<void, SinkError> {
    return io(Effect.scoped(Effect.gen(this, function*() {
      const file = yield* this.fs.open(this.at(name), { flag: "r+" })
      yield* file.truncate(FileSystem.Size(bytes))
      yield* file.sync
    })))
  }

  /** What the lines of a file hold. */
  decodedLines<A, I>(name: FileName, schema: Schema.Schema<A, I>): Effect.Effect<ReadonlyArray<A>, SinkError> {
    const all: Array<A> = []
    return Effect.as(
      this.#eachLine(name, (line) => Effect.map(this.#decode(name, schema, line), (one) => void all.push(one))),
      all
    )
  }

  /** Removes a part, which may be gone. */
  removePart(name: string): Effect.Effect<void, SinkError> {
    return partName.test(name.replace(/\.partial$/, ""))
      ? ifThere(this.fs.remove(this.at(name)))
      : Effect.void
  }

  /**
   * What is recorded of each window, which windows became one though the plan may still name them, and how many characters of
   * the list a later line stands for. What earlier processes began and did not record is removed.
   */
  recover(): Effect.Effect<
    {
      readonly recorded: Map<number, Recorded>
      readonly joined: ReadonlyArray<Joined>
      readonly superseded: number
    },
    SinkError
  > {
    return Effect.gen(this, function*() {
      const recorded = new Map<number, Recorded>()
      const joined: Array<Joined> = []
      const named = new Set<string>()
      const lengths = new Map<number, number>()
      let superseded = 0
      yield* this.#eachLine(
        "windows.ndjson",
        (line) =>
          Effect.map(this.#decode("windows.ndjson", Schema.Union(Line, OldLine), line), (read) => {
            const { window } = read.state
            const record = ofLine(read, recorded.get(window))
            recorded.set(window, record)
            superseded += lengths.get(window) ?? 0
            lengths.set(window, line.length)
            if ("joined" in read && read.joined !== undefined) joined.push(read.joined)
            for (const { name } of [...record.parts, ...record.rejected]) named.add(name)
          })
      )
      // A name that a power failure made unreadable is of a file that nothing records.
      yield* this.#eachLine(
        "begun.ndjson",
        (line) =>
          Effect.ignore(Effect.map(this.#decode("begun.ndjson", Schema.String, line), (name) => named.add(name)))
      )
      for (const { parts, rejected } of recorded.values()) {
        for (const { name } of [...parts, ...rejected]) named.delete(name)
      }
      for (const name of named) {
        yield* this.removePart(name)
        yield* this.removePart(`${name}.partial`)
      }
      yield* this.replace("begun.ndjson", "")
      return { recorded, joined, superseded }
    })
  }

  /**
   * Joins the many windows that a tail of an older program has left: the one that stays gets the files of all of them. Its line
   * names them until the plan does not. Returns the plan.
   */
  join(
    plan: Plan,
    { joined: begun, recorded }: Effect.Effect.Success<ReturnType<ExportDirectory["recover"]>>
  ): Effect.Effect<Plan, SinkError> {
    return Effect.gen(this, function*() {
      const found = begun.length > 0
        ? begun
        : !(yield* joining.hasMany(plan))
        ? []
        : joining.joinedOf(plan, (window) => joining.canJoin(window, recorded.get(window.index)?.state))
      if (found.length === 0) return plan
      const byWindow = new Map<number, Joined>()
      for (const one of found) {
        const { index } = one.window
        byWindow.set(index, one)
        const members = one.members.flatMap((member) => recorded.get(member.index) ?? [])
        const [first] = members
        // What was joined before has one line.
        if (first === undefined || members.length === 1) continue
        for (const { state } of members) recorded.delete(state.window)
        recorded.set(index, {
          state: joining.stateOf(one, first.state, members.map(({ state }) => state)),
          parts: members.flatMap(({ parts }) => parts),
          rejected: members.flatMap(({ rejected }) => rejected)
        })
      }
      const lines = (isBegun: boolean): string =>
        [...recorded.values()].map((one) =>
          `${lineOf(one, undefined, isBegun ? byWindow.get(one.state.window) : undefined)}\n`
        ).join("")
      yield* this.replace("windows.ndjson", lines(true))
      const places = new Map(
        found.flatMap(({ members, window }) => members.map((member) => [member.index, window.index]))
      )
      const marked = yield* this.decodedLines("extra.ndjson", Extra)
      if (marked.length > 0) {
        const moved = marked.map((one) => ({ ...one, window: places.get(one.window) ?? one.window }))
        yield* this.replace("extra.ndjson", extraLines(moved))
      }
      const next = joining.planOf(plan, found)
      yield* this.storePlan(next)
      yield* this.replace("windows.ndjson", lines(false))
      return next
    })
  }

  /** A part, to be read. */
  source(name: string): Effect.Effect<Source, SinkError> {
    return Effect.gen(this, function*() {
      const kind = yield* this.kindOf(name)
      if (kind !== "file") {
        return yield* foreign(
          `${this.at(name)} is ${kind === undefined ? "gone" : `a ${kind}`}, and a file of the export was there`
        )
      }
      const { size } = yield* io(this.fs.stat(this.at(name)))
      return {
        bytes: Number(size),
        read: (offset = 0, bytes = Number(size) - offset) =>
          bytes === 0
            ? Stream.empty
            : Stream.mapError(this.fs.stream(this.at(name), { offset, bytesToRead: bytes }), sinkError)
      }
    })
  }

  /** When a file was last changed, in milliseconds. */
  modified(name: string): Effect.Effect<number | undefined, SinkError> {
    return Effect.map(io(this.fs.stat(this.at(name))), ({ mtime }) => Option.getOrUndefined(mtime)?.getTime())
  }

  /** Keeps a damaged part under another name: it may hold what the service no longer returns. */
  setAside(name: string): Effect.Effect<void, SinkError> {
    return partName.test(name)
      ? ifThere(this.fs.rename(this.at(name), this.at(`${name}.damaged`)))
      : Effect.void
  }
}

export const make = (
  directory: string
): Effect.Effect<ExportDirectory, never, FileSystem.FileSystem | Path.Path> =>
  Effect.zipWith(FileSystem.FileSystem, Path.Path, (fs, path) => new ExportDirectory(directory, fs, path))
