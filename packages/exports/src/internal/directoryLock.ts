/**
 * The lock of a directory, `export.lock`: which process exports to it. The file is created whole and only if there is none.
 *
 * A process that died leaves its lock behind. On its own machine the next exporter sees that: no process has that number, or
 * one that was started at another time. A lock of another machine, or of another container, is watched instead: its
 * process touches it every few seconds, and one that stays untouched is taken over. So is one without a text, as a power failure
 * leaves it. A process that was frozen for that long
 * finds its lock gone before it records anything.
 *
 * Two things are not noticed. Where the system doesn't say when a process was started (no `/proc`), a new process with the
 * number of the dead one keeps the directory locked. And on a file system that shows changes of other machines late, a
 * living process of another machine may be taken for a dead one.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { SinkError } from "../Sink.js"
import { io } from "./storageFault.js"

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

/** Of a lock that nothing is known of: the power failed before its text was on the disk, or it is being written. */
const unknown: Holder = { pid: 0, started: null, machine: "", token: "" }

const isEmpty = (text: string): boolean => /^\0*$/.test(text)

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

const refuse = (problem: string): SinkError => new SinkError({ reason: "locked", problem })

const textOf = (fs: FileSystem.FileSystem, name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.option(fs.readFileString(name)), Option.getOrUndefined)

/** When a process was started: the 22nd field of its `stat`; the second one, in brackets, may contain anything. */
const startOf = (fs: FileSystem.FileSystem, pid: number): Effect.Effect<string | null> =>
  Effect.map(
    textOf(fs, `/proc/${pid}/stat`),
    (stat) => stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null
  )

/** What the lock of this process says. */
const describeSelf = (fs: FileSystem.FileSystem): Effect.Effect<Holder> =>
  Effect.all([
    startOf(fs, process.pid),
    textOf(fs, "/proc/sys/kernel/random/boot_id"),
    Effect.option(fs.readLink("/proc/self/ns/pid"))
  ]).pipe(Effect.map(([started, boot, space]) => ({
    pid: process.pid,
    started,
    machine: [hostname(), boot?.trim() ?? "", Option.getOrElse(space, () => "")].join(" "),
    token: randomUUID()
  })))

/** The lock that a session holds. */
export class Lock {
  constructor(
    private readonly fs: FileSystem.FileSystem,
    private readonly directory: string,
    private readonly file: string,
    private readonly own: Holder
  ) {}

  /** Whose the lock is; `undefined` without a lock, and `null` for a text that is no lock. */
  #read(name: string): Effect.Effect<Holder | null | undefined> {
    return Effect.flatMap(textOf(this.fs, name), (found) =>
      found === undefined || isEmpty(found)
        ? Effect.succeed(found === undefined ? undefined : unknown)
        : Effect.orElseSucceed(Schema.decode(Holder)(found), () => null))
  }

  /** Whether no other process has taken the lock over. */
  isOwn(): Effect.Effect<boolean> {
    return Effect.map(this.#read(this.file), (holder) => holder?.token === this.own.token)
  }

  /** Puts the lock into its place, whole, if there is none. */
  #create(): Effect.Effect<boolean, SinkError> {
    const { file, fs, own } = this
    const made = `${file}.${own.token}`
    const text = new TextEncoder().encode(Schema.encodeSync(Holder)(own))
    const write = (name: string) =>
      Effect.scoped(
        Effect.flatMap(fs.open(name, { flag: "wx" }), (opened) => Effect.zipRight(opened.writeAll(text), opened.sync))
      )
    return Effect.gen(this, function*() {
      yield* write(made).pipe(
        Effect.zipRight(
          fs.link(made, file).pipe(
            // A file system without links; the file is then empty for a moment.
            Effect.catchIf(isNotThere, () => write(file)),
            Effect.catchIf((error) => !isNotThere(error), () => Effect.void)
          )
        ),
        io,
        Effect.ensuring(Effect.ignore(fs.remove(made)))
      )
      return yield* this.isOwn()
    })
  }

  /** Whether the lock changes while it is watched. */
  #isTouched(): Effect.Effect<boolean> {
    return Effect.gen(this, function*() {
      const touched = Effect.map(this.fs.stat(this.file), ({ mtime }) => Number(Option.getOrElse(mtime, () => 0)))
      const before = yield* touched
      const until = (yield* Clock.currentTimeMillis) + watchFor
      while ((yield* Clock.currentTimeMillis) < until) {
        yield* Effect.sleep(1000)
        if ((yield* touched) !== before) return true
      }
      return false
    }).pipe(Effect.orElseSucceed(() => true))
  }

  #isHeld(holder: Holder): Effect.Effect<boolean> {
    if (holder.machine !== this.own.machine) return this.#isTouched()
    if (!isAlive(holder.pid)) return Effect.succeed(false)
    return Effect.map(
      startOf(this.fs, holder.pid),
      (started) => holder.started === null || started === holder.started
    )
  }

  /** Moves a dead lock out of the way. What turns out to be another lock by then goes back. */
  #clear(dead: Holder): Effect.Effect<void, SinkError> {
    return Effect.gen(this, function*() {
      const moved = `${this.file}.${this.own.token}`
      if (Option.isNone(yield* Effect.option(this.fs.rename(this.file, moved)))) return
      const token = (yield* this.#read(moved))?.token ?? dead.token
      if (token !== dead.token) yield* Effect.ignore(this.fs.link(moved, this.file))
      yield* io(this.fs.remove(moved))
    })
  }

  take(): Effect.Effect<void, SinkError> {
    return Effect.gen(this, function*() {
      for (let tries = 0; tries < 5; tries++) {
        if (yield* this.#create()) return
        const holder = yield* this.#read(this.file)
        if (holder === undefined) continue
        if (holder === null) {
          return yield* refuse(`${this.file} is no lock of an export; remove it if no export runs here`)
        }
        if (yield* this.#isHeld(holder)) {
          const [host] = holder.machine.split(" ")
          return yield* refuse(
            `${
              holder === unknown ? "another process" : `process ${holder.pid} on ${host}`
            } exports to ${this.directory}; wait for its end or stop it`
          )
        }
        yield* this.#clear(holder)
      }
      return yield* refuse(`other processes are about to export to ${this.directory}`)
    })
  }

  release(): Effect.Effect<void> {
    return Effect.flatMap(this.isOwn(), (mine) => mine ? Effect.ignore(this.fs.remove(this.file)) : Effect.void)
  }

  /** Renews the lock, unless another process has taken it over. */
  touch(): Effect.Effect<void> {
    return Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => Effect.ignore(this.fs.utimes(this.file, now / 1000, now / 1000))),
      Effect.whenEffect(this.isOwn()),
      Effect.asVoid
    )
  }

  /** Fails if another process has taken the lock over. */
  check(): Effect.Effect<void, SinkError> {
    return Effect.flatMap(
      this.isOwn(),
      (mine) => mine ? Effect.void : refuse(`another process has taken over the export to ${this.directory}`)
    )
  }
}

/** Takes the lock `file` of a directory until the scope ends. */
export const acquire = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  directory: string,
  file: string
) {
  const lock = new Lock(fs, directory, file, yield* describeSelf(fs))
  yield* Effect.acquireReleaseInterruptible(lock.take(), () => lock.release())
  yield* Effect.forkScoped(Effect.repeat(lock.touch(), Schedule.spaced(touchEvery)))
  return lock
})
