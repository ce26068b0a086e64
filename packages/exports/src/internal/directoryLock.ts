/**
 * The lock of a directory, `export.lock`: which process exports to it. The file is created whole and only if there is none.
 *
 * A process that died leaves its lock behind. On its own machine the next exporter sees that: no process has that number, or
 * one that was started at another time. A lock of another machine, or of another container, is watched instead: its
 * process touches it every few seconds, and one that stays untouched is taken over. A process that was frozen for that long
 * finds its lock gone before it records anything.
 *
 * Two things are not noticed. Where the system doesn't say when a process was started (no `/proc`), a new process with the
 * number of the dead one keeps the directory locked. And on a file system that shows changes of other machines late, a
 * living process of another machine may be taken for a dead one.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { SinkError } from "../Sink.js"
import { sinkError } from "./storageFault.js"

/** The name of the file. */
export const lockName = "export.lock"

const touchEvery = 5_000
/** How long the lock of another machine stays untouched before it is taken over. */
const watchFor = 30_000

const Holder = Schema.parseJson(Schema.Struct({
  pid: Schema.Int,
  /** When the process was started, in ticks of its system; `null` where the system does not say. */
  started: Schema.NullOr(Schema.String),
  /** The machine since it was last booted, and the container. */
  machine: Schema.String,
  token: Schema.String
}))

type Holder = typeof Holder.Type

/** The lock that a session holds. */
export interface Lock {
  /** Fails if another process has taken the lock over. */
  readonly check: Effect.Effect<void, SinkError>
}

const io = <A, R>(effect: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, SinkError, R> =>
  Effect.mapError(effect, sinkError)

/** Whether a file could not be made for another reason than that there is one. */
const isNotThere = (error: PlatformError): boolean =>
  !(error._tag === "SystemError" && error.reason === "AlreadyExists")

/** Whether a process with this number is alive. One that may not be signalled is. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}

export const acquire = (
  directory: string
): Effect.Effect<Lock, SinkError, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(directory, lockName)

    const text = (name: string): Effect.Effect<string | undefined> =>
      Effect.map(Effect.option(fs.readFileString(name)), Option.getOrUndefined)

    /** The 22nd field of `/proc/{pid}/stat`; the second one, in brackets, may contain anything. */
    const startOf = (pid: number): Effect.Effect<string | null> =>
      Effect.map(text(`/proc/${pid}/stat`), (stat) => stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null)

    const machine = yield* Effect.map(
      Effect.all([text("/proc/sys/kernel/random/boot_id"), Effect.option(fs.readLink("/proc/self/ns/pid"))]),
      ([boot, space]) => [hostname(), boot?.trim() ?? "", Option.getOrElse(space, () => "")].join(" ")
    )
    const own: Holder = { pid: process.pid, started: yield* startOf(process.pid), machine, token: randomUUID() }

    /** Whose the lock is; `undefined` without a lock. A text that is no lock belongs to nobody. */
    const read = (name: string): Effect.Effect<Holder | "unreadable" | undefined> =>
      Effect.flatMap(text(name), (found) =>
        found === undefined
          ? Effect.succeed(undefined)
          : Effect.orElseSucceed(Schema.decode(Holder)(found), () => "unreadable" as const))

    /** Puts the lock into its place, whole, if there is none. */
    const create = Effect.gen(function*() {
      const made = `${file}.${own.token}`
      yield* io(fs.writeFileString(made, Schema.encodeSync(Holder)(own), { flag: "wx" }))
      yield* fs.link(made, file).pipe(
        // A file system without links; the file is then empty for a moment.
        Effect.catchIf(isNotThere, () => fs.writeFileString(file, Schema.encodeSync(Holder)(own), { flag: "wx" })),
        Effect.catchIf((error) => !isNotThere(error), () => Effect.void),
        io,
        Effect.ensuring(Effect.ignore(fs.remove(made)))
      )
      const holder = yield* read(file)
      return holder !== undefined && holder !== "unreadable" && holder.token === own.token
    })

    /** Whether the lock changes while it is watched. */
    const isTouched = Effect.gen(function*() {
      const touched = Effect.map(fs.stat(file), ({ mtime }) => Number(Option.getOrElse(mtime, () => 0)))
      const before = yield* touched
      const until = (yield* Clock.currentTimeMillis) + watchFor
      while ((yield* Clock.currentTimeMillis) < until) {
        yield* Effect.sleep(1000)
        if ((yield* touched) !== before) return true
      }
      return false
    }).pipe(Effect.orElseSucceed(() => true))

    const isHeld = (holder: Holder): Effect.Effect<boolean> => {
      if (holder.machine !== machine) return isTouched
      if (!isAlive(holder.pid)) return Effect.succeed(false)
      return Effect.map(startOf(holder.pid), (started) => holder.started === null || started === holder.started)
    }

    /** Moves a dead lock out of the way. What turns out to be another lock by then goes back. */
    const clear = (dead: Holder) =>
      Effect.gen(function*() {
        const moved = `${file}.${own.token}`
        if (Option.isNone(yield* Effect.option(fs.rename(file, moved)))) return
        const found = yield* read(moved)
        if (found !== undefined && found !== "unreadable" && found.token !== dead.token) {
          yield* Effect.ignore(fs.link(moved, file))
        }
        yield* io(fs.remove(moved))
      })

    const refuse = (problem: string): SinkError => new SinkError({ reason: "locked", problem })

    const take: Effect.Effect<void, SinkError> = Effect.gen(function*() {
      for (let tries = 0; tries < 5; tries++) {
        if (yield* create) return
        const holder = yield* read(file)
        if (holder === undefined) continue
        if (holder === "unreadable") {
          return yield* refuse(`${file} is no lock of an export; remove it if no export runs here`)
        }
        if (yield* isHeld(holder)) {
          return yield* refuse(
            `process ${holder.pid} on ${
              holder.machine.split(" ")[0]
            } exports to ${directory}; wait for its end or stop it`
          )
        }
        yield* clear(holder)
      }
      return yield* refuse(`other processes are about to export to ${directory}`)
    })

    const isOwn = Effect.map(
      read(file),
      (holder) => holder !== undefined && holder !== "unreadable" && holder.token === own.token
    )

    yield* Effect.acquireReleaseInterruptible(
      take,
      () => Effect.flatMap(isOwn, (mine) => mine ? Effect.ignore(fs.remove(file)) : Effect.void)
    )
    const touch = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => Effect.ignore(fs.utimes(file, now / 1000, now / 1000))
    )
    yield* Effect.forkScoped(Effect.repeat(touch, Schedule.spaced(touchEvery)))

    return {
      check: Effect.flatMap(
        isOwn,
        (mine) => mine ? Effect.void : refuse(`another process has taken over the export to ${directory}`)
      )
    }
  })
