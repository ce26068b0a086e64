import * as Effect from "effect/Effect"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

/** What is brought to the disk and named while an effect runs, in this order. */
export const watchedDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const calls: Array<string> = []
    const names = new Map<number, string>()
    const { fsyncSync, linkSync, openSync, renameSync } = fs
    fs.openSync = (path, ...rest) => {
      const opened = openSync(path, ...rest)
      names.set(opened, String(path))
      return opened
    }
    fs.fsyncSync = (opened) => {
      fsyncSync(opened)
      calls.push(`sync ${names.get(opened)}`)
    }
    fs.linkSync = (from, to) => {
      linkSync(from, to)
      calls.push(`name ${from} ${to}`)
    }
    fs.renameSync = (from, to) => {
      renameSync(from, to)
      calls.push(`rename ${from} ${to}`)
    }
    syncBuiltinESMExports()
    return { calls, real: { fsyncSync, linkSync, openSync, renameSync } }
  }),
  ({ real }) =>
    Effect.sync(() => {
      Object.assign(fs, real)
      syncBuiltinESMExports()
    })
)
