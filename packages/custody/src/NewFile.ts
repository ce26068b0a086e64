/**
 * Writes files that must not be lost: a file is whole and on the disk, or not there.
 */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

const sync = (path: string, flags: string, mode: number, write: (opened: number) => void): void => {
  const opened = openSync(path, flags, mode)
  try {
    write(opened)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/**
 * Writes a new file with mode 0600. It gets its name once its bytes are on the disk. Throws if there is a file of this name.
 *
 * @category writing
 */
export const write = (file: string, bytes: string | Uint8Array): void => {
  const part = `${file}.${randomBytes(6).toString("hex")}.part`
  try {
    sync(part, "wx", 0o600, (opened) => writeFileSync(opened, bytes))
    linkSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
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
