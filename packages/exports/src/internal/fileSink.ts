import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { createHash, type Hash } from "node:crypto"
import type { Options } from "../FileSink.js"
import { Manifest } from "../Manifest.js"
import { Plan } from "../Plan.js"
import type { Rejected, Row } from "../Row.js"
import { fresh, isSameExport, type Page, type Session, type Sink, SinkError, WindowState } from "../Sink.js"
import * as csv from "./csv.js"

/** A line of `windows.ndjson`. */
const Recorded = Schema.Struct({
  state: WindowState,
  part: Schema.NullOr(Schema.String),
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.Int,
  rejected: Schema.NullOr(Schema.String)
})

const formats = {
  ndjson: { header: "", line: (row: Row) => `${JSON.stringify(row)}\n` },
  csv: { header: `${csv.header}\r\n`, line: (row: Row) => `${csv.line(row)}\r\n` }
}

const io = <A, R>(effect: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, SinkError, R> =>
  Effect.mapError(effect, ({ message }) => new SinkError({ reason: "io", problem: message }))

const unreadable = (file: string): SinkError =>
  new SinkError({ reason: "io", problem: `${file} can't be read; was it written by another version?` })

const encoder = new TextEncoder()

export const make = (
  { directory, format = "ndjson" }: Options
): Effect.Effect<Sink, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const at = (...names: ReadonlyArray<string>): string => path.join(directory, ...names)
    const { header, line } = formats[format]

    /** Makes the names in a directory durable. Not every system lets a directory be opened; those need no sync. */
    const syncDirectory = (name: string): Effect.Effect<void> =>
      Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(name, { flag: "r" }), (file) => file.sync)))

    /** Replaces a file, or leaves the old one. */
    const replace = (name: string, text: string): Effect.Effect<void, SinkError> =>
      io(Effect.gen(function*() {
        const temporary = at(`${name}.tmp`)
        yield* Effect.scoped(Effect.gen(function*() {
          const file = yield* fs.open(temporary, { flag: "w" })
          yield* file.writeAll(encoder.encode(text))
          yield* file.sync
        }))
        yield* fs.rename(temporary, at(name))
        yield* syncDirectory(directory)
      }))

    const read = (name: string): Effect.Effect<Option.Option<string>, SinkError> =>
      io(
        Effect.flatMap(
          fs.exists(at(name)),
          (exists) => exists ? Effect.map(fs.readFileString(at(name)), Option.some) : Effect.succeedNone
        )
      )

    const decode = <A, I>(name: string, schema: Schema.Schema<A, I>, text: string): Effect.Effect<A, SinkError> =>
      Effect.mapError(Schema.decode(Schema.parseJson(schema))(text), () => unreadable(at(name)))

    const storedPlan = Effect.flatMap(
      read("plan.json"),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (text) => Effect.map(decode("plan.json", Plan, text), Option.some)
      })
    )

    const storePlan = (plan: Plan): Effect.Effect<void, SinkError> =>
      replace("plan.json", `${JSON.stringify(Schema.encodeSync(Plan)(plan))}\n`)

    const planOf = (newPlan: Plan | undefined): Effect.Effect<Plan, SinkError> =>
      Effect.gen(function*() {
        const found = yield* storedPlan
        if (Option.isSome(found)) {
          if (newPlan === undefined || isSameExport(newPlan, found.value)) return found.value
          return yield* new SinkError({ reason: "stored", problem: `another export is stored in ${directory}` })
        }
        if (newPlan === undefined) {
          return yield* new SinkError({ reason: "stored", problem: `no export is stored in ${directory}; pass a plan` })
        }
        yield* storePlan(newPlan)
        return newPlan
      })

    /** What is recorded of each window. A line without its end was being written when the process died: it is cut off. */
    const records = Effect.gen(function*() {
      const text = Option.getOrElse(yield* read("windows.ndjson"), () => "")
      const whole = text.slice(0, text.lastIndexOf("\n") + 1)
      if (whole.length < text.length) yield* replace("windows.ndjson", whole)
      const found = new Map<number, typeof Recorded.Type>()
      for (const one of whole.split("\n")) {
        if (one === "") continue
        const record = yield* decode("windows.ndjson", Recorded, one)
        found.set(record.state.window, record)
      }
      return found
    })

    const open = (newPlan?: Plan): Effect.Effect<Session, SinkError, Scope.Scope> =>
      Effect.gen(function*() {
        yield* io(Effect.forEach(["parts", "rejected"], (name) => fs.makeDirectory(at(name), { recursive: true })))
        let plan = yield* planOf(newPlan)
        const recorded = yield* records
        const kept = new Set([...recorded.values()].flatMap(({ part, rejected }) => [part, rejected]))
        for (const folder of ["parts", "rejected"]) {
          for (const name of yield* io(fs.readDirectory(at(folder)))) {
            if (!kept.has(`${folder}/${name}`)) yield* io(fs.remove(at(folder, name)))
          }
        }
        const journal = yield* io(fs.open(at("windows.ndjson"), { flag: "a" }))
        yield* syncDirectory(directory)
        const turn = yield* Effect.makeSemaphore(1)
        const writers = new Map<number, Writer>()
        yield* Effect.addFinalizer((exit) =>
          Effect.forEach(writers.values(), ({ scope }) => Scope.close(scope, exit), { discard: true })
        )

        /** Opens the files of a window beside their places. */
        const begin = (window: number): Effect.Effect<Writer, SinkError> =>
          Effect.gen(function*() {
            const scope = yield* Scope.make()
            // A window that is read again gets new names: the old files count until the new ones are recorded.
            const number = Number(/-(\d+)\./.exec(recorded.get(window)?.part ?? "")?.[1] ?? 0) + 1
            const name = `${String(window).padStart(6, "0")}-${number}`
            const make = (place: string) =>
              Effect.gen(function*() {
                const file = yield* Scope.extend(io(fs.open(at(`${place}.partial`), { flag: "w" })), scope)
                return { place, file, bytes: 0, hash: createHash("sha256") }
              })
            const writer: Writer = {
              scope,
              rows: yield* make(`parts/${name}.${format}`),
              rejected: yield* make(`rejected/${name}.ndjson`)
            }
            writers.set(window, writer)
            return writer
          })

        const forget = (window: number, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
          Effect.suspend(() => {
            const writer = writers.get(window)
            writers.delete(window)
            return writer === undefined ? Effect.void : Scope.close(writer.scope, exit)
          })

        const write = (to: Output, text: string): Effect.Effect<void, SinkError> =>
          Effect.suspend(() => {
            const bytes = encoder.encode(text)
            to.bytes += bytes.length
            to.hash.update(bytes)
            return io(to.file.writeAll(bytes))
          })

        /** Puts a file into its place, durably; a file without content is removed. */
        const place = ({ bytes, file, place: name }: Output): Effect.Effect<string | null, SinkError> =>
          io(Effect.gen(function*() {
            if (bytes === 0) {
              yield* fs.remove(at(`${name}.partial`))
              return null
            }
            yield* file.sync
            yield* fs.rename(at(`${name}.partial`), at(name))
            yield* syncDirectory(path.dirname(at(name)))
            return name
          }))

        const end = (writer: Writer, state: WindowState): Effect.Effect<void, SinkError> =>
          Effect.gen(function*() {
            const part = yield* place(writer.rows)
            const rejected = yield* place(writer.rejected)
            const record: typeof Recorded.Type = {
              state,
              part,
              sha256: part === null ? null : writer.rows.hash.digest("hex"),
              bytes: writer.rows.bytes,
              rejected
            }
            const text = `${JSON.stringify(Schema.encodeSync(Recorded)(record))}\n`
            yield* turn.withPermits(1)(io(Effect.zipRight(journal.writeAll(encoder.encode(text)), journal.sync)))
            const old = recorded.get(state.window)
            recorded.set(state.window, record)
            for (const name of [old?.part, old?.rejected]) {
              if (typeof name === "string") yield* io(fs.remove(at(name)))
            }
          })

        const append = ({ next, rejected, rows, window: { index } }: Page) =>
          Effect.gen(function*() {
            const writer = writers.get(index) ?? (yield* begin(index))
            if (rows.length > 0) {
              yield* write(writer.rows, (writer.rows.bytes === 0 ? header : "") + rows.map(line).join(""))
            }
            if (rejected.length > 0) {
              yield* write(writer.rejected, rejected.map((one: Rejected) => `${JSON.stringify(one)}\n`).join(""))
            }
            const state = next(rows, rejected)
            if (state.status !== "open") {
              yield* end(writer, state)
              yield* forget(index, Exit.void)
            }
            return state
          })

        return {
          plan: Effect.sync(() => plan),
          states: Effect.sync(() => [...recorded.values()].map(({ state }) => state)),
          extend: (longer) =>
            Effect.tap(storePlan(longer), () => {
              plan = longer
            }),
          commit: (page) =>
            Effect.tapErrorCause(append(page), (cause) => forget(page.window.index, Exit.failCause(cause))),
          restart: (before) =>
            Effect.map(forget(before.window, Exit.void), () => ({
              ...fresh({ index: before.window, source: 0, from: 0, to: 0 }),
              pages: before.pages
            })),
          ids: ({ index }) =>
            Effect.gen(function*() {
              const record = recorded.get(index)
              const text = (name: string | null | undefined) =>
                typeof name === "string" ? io(fs.readFileString(at(name))) : Effect.succeed("")
              const inJson = (lines: string) =>
                lines.split("\n").flatMap((one) => /^\{"id":"([^"]+)"/.exec(one)?.[1] ?? [])
              const part = yield* text(record?.part)
              return new Set([
                ...(format === "csv" ? csv.firstFields(part).slice(1) : inJson(part)),
                ...inJson(yield* text(record?.rejected))
              ])
            }),
          finish: (manifest) =>
            replace("manifest.json", `${JSON.stringify(Schema.encodeSync(Manifest)(manifest), null, 2)}\n`)
        }
      })

    return { open }
  })

interface Output {
  readonly place: string
  readonly file: FileSystem.File
  bytes: number
  readonly hash: Hash
}

interface Writer {
  readonly scope: Scope.CloseableScope
  readonly rows: Output
  readonly rejected: Output
}
