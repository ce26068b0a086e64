/**
 * Writes files that must not be lost: a file is whole and on the disk, or not there, or as it was.
 */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"

const sync = (path: string, flags: string, mode: number, write: (opened: number) => void): void => {
  const opened = openSync(path, flags, mode)
  try {
    write(opened)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** So old, in milliseconds, is what a program has left behind that was stopped while it wrote a file. */
const leftAfter = 3_600_000

/** Removes what programs have left behind that were stopped while they wrote a file of this name. */
const removeLeft = (file: string): void => {
  const folder = dirname(file)
  const start = `${basename(file)}.`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start) || !/^[0-9a-f]{12}\.part$/.test(name.slice(start.length))) continue
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
    if (Date.now() - mtimeMs > leftAfter) rmSync(join(folder, name), { force: true })
  }
}

/**
 * How a new file is written.
 *
 * @category models
 */
export interface WriteOptions<A, E, F> {
  /** The failure of a file that can't be written, or of whose name there is one already. */
  readonly failed: (cause: unknown) => E
  /** Looks at the bytes as they are read back, before the file has its name: it gets none if this fails. */
  readonly check: (written: Uint8Array) => Effect.Effect<A, F>
}

/**
 * Writes a new file with mode 0600, and gives what the check of it gave. It gets its name once its bytes are on the disk, and never that of
 * a file that is there. A program that is stopped before leaves bytes in `FILE.….part`, which the next one removes that writes the file,
 * an hour later or more.
 *
 * @category writing
 */
export const write = <A, E, F>(
  file: string,
  bytes: string | Uint8Array,
  { check, failed }: WriteOptions<A, E, F>
): Effect.Effect<A, E | F> =>
  Effect.suspend(() => {
    const part = `${file}.${randomBytes(6).toString("hex")}.part`
    const attempt = <B>(use: () => B) => Effect.try({ try: use, catch: failed })
    return attempt(() => {
      removeLeft(file)
      sync(part, "wx", 0o600, (opened) => writeFileSync(opened, bytes))
      return readFileSync(part)
    }).pipe(
      Effect.flatMap(check),
      Effect.tap(attempt(() => linkSync(part, file))),
      Effect.ensuring(Effect.sync(() => rmSync(part, { force: true }))),
      Effect.tap(attempt(() => syncFolder(file)))
    )
  })

/**
 * Writes a file with mode 0600 in place of the one of its name, if there is one: it has the bytes of before or these, whenever the
 * program or the machine stops. Throws what the file system says.
 *
 * @category writing
 */
export const replace = (file: string, bytes: string | Uint8Array): void => {
  const part = `${file}.part`
  sync(part, "w", 0o600, (opened) => writeFileSync(opened, bytes))
  renameSync(part, file)
  syncFolder(file)
}

/**
 * Brings the name of a new file to the disk. Does nothing on Windows, which opens no folders.
 *
 * @category writing
 */
export const syncFolder = (file: string): void => {
  if (process.platform !== "win32") sync(dirname(file), "r", 0, () => {})
}
