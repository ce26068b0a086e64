/** Files that a gateway of an older version has left, compressed for the tests. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync, gzipSync } from "node:zlib"

/** Keeps files of a folder in another one. */
export const pack = (names: ReadonlyArray<string>, from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const name of names) {
    writeFileSync(join(to, `${name}.gz`), gzipSync(readFileSync(join(from, name)), { level: 9 }))
  }
}

/** Puts files that were packed into a folder. Only their owner may read them: a gateway refuses a master key that others can read. */
export const unpack = (names: ReadonlyArray<string>, from: string, to: string): void => {
  for (const name of names) {
    writeFileSync(join(to, name), gunzipSync(readFileSync(join(from, `${name}.gz`))), { mode: 0o600 })
  }
}

/** Makes the files of the version that the command names, and of the kind if it names one, if this is the module that was started. */
export const run = async (module: string, make: (version: string, kind?: string) => Promise<void>): Promise<void> => {
  if (process.argv[1] !== fileURLToPath(module)) return
  const [version = "", kind] = process.argv.slice(2)
  await make(version, kind)
  process.exit(0)
}
