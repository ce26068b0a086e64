import { closeSync, openSync } from "node:fs"

const isThere = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EEXIST"

/**
 * Makes a file that only its owner may read, from the moment that it exists; nothing if it is there. SQLite gives the files beside it
 * the same mode.
 *
 * A file that is there is not opened: to close it again would end the locks that this process has on it, and another process
 * would then take the database for unused, and remove what it has not checkpointed.
 */
export const create = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if (!isThere(cause)) throw cause
  }
}
