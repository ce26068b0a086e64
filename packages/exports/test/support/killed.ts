/** Processes that die: at one of the steps of a session, or at one of the writes to a file system. */
import { SystemError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { type Session, type Sink, SinkError } from "../../src/Sink.js"

/** Counts what changes a store, and ends everything from the `last`-th of it on. */
export class Life {
  steps = 0
  constructor(readonly last: number) {}

  get isOver(): boolean {
    return this.steps >= this.last
  }
}

/** A sink whose process dies before or after its `last`-th step, as a database that commits whole steps sees it. */
export const sink = (over: Sink, life: Life, moment: "before" | "after"): Sink => {
  const dead = new SinkError({ reason: "io", problem: "killed" })
  const step = <A>(effect: Effect.Effect<A, SinkError>): Effect.Effect<A, SinkError> =>
    Effect.suspend(() => {
      if (life.isOver) return dead
      life.steps++
      if (!life.isOver) return effect
      return moment === "before" ? dead : Effect.zipRight(effect, dead)
    })
  const session = (whole: Session): Session => ({
    ...whole,
    extend: (next) => step(whole.extend(next)),
    commit: (page) => step(whole.commit(page)),
    mark: (window, extras) => step(whole.mark(window, extras)),
    remove: (before, ids) => step(whole.remove(before, ids)),
    finish: (manifest) => step(whole.finish(manifest))
  })
  return { open: (plan) => Effect.map(over.open(plan), session) }
}

/** A file system that dies at its `last`-th change: half of what is written is there, and nothing is cleaned up afterwards. */
export const fileSystem = (fs: FileSystem.FileSystem, life: Life): FileSystem.FileSystem => {
  const dead = new SystemError({ reason: "Unknown", module: "FileSystem", method: "any", description: "killed" })
  const step = <A, E, R>(effect: Effect.Effect<A, E, R>, half?: Effect.Effect<unknown, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | SystemError, R> => {
      if (life.isOver) return dead
      life.steps++
      if (!life.isOver) return effect
      return half === undefined ? dead : Effect.zipRight(half, dead)
    })
  const file = (opened: FileSystem.File): FileSystem.File =>
    new Proxy(opened, {
      get: (target, key): unknown => {
        if (key === "sync") return step(target.sync)
        if (key === "truncate") return (length?: FileSystem.SizeInput) => step(target.truncate(length))
        if (key !== "writeAll") return Reflect.get(target, key)
        return (bytes: Uint8Array) =>
          step(target.writeAll(bytes), target.writeAll(bytes.subarray(0, Math.floor(bytes.length / 2))))
      }
    })
  return {
    ...fs,
    open: (path, options) => {
      const opened = Effect.map(fs.open(path, options), file)
      return options?.flag === undefined || options.flag === "r" ? opened : step(opened)
    },
    rename: (from, to) => step(fs.rename(from, to)),
    remove: (path, options) => step(fs.remove(path, options)),
    makeDirectory: (path, options) => step(fs.makeDirectory(path, options)),
    link: (from, to) => step(fs.link(from, to))
  }
}
