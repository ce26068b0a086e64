/** A file system of a few megabytes in memory, which a drill fills or makes read-only. Needs the right to mount. */
import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

const isDone = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

/** A mounted file system. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Mounts a file system on a new folder; undefined where this process may not. */
  static mount(folder: string, megabytes: number): SmallDisk | undefined {
    mkdirSync(folder)
    return isDone("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder)
      ? new SmallDisk(folder)
      : undefined
  }

  get #filler(): string {
    return join(this.folder, "filler")
  }

  /** Takes all space that is left. */
  fill(): void {
    const file = openSync(this.#filler, "a")
    try {
      for (const size of [65_536, 4096, 1]) {
        const bytes = Buffer.alloc(size)
        try {
          for (;;) writeSync(file, bytes)
        } catch (cause) {
          if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause
        }
      }
    } finally {
      closeSync(file)
    }
  }

  /** Gives the space back. */
  free(): void {
    rmSync(this.#filler, { force: true })
  }

  /** Lets nobody write; false if a file is open for writing. */
  makeReadOnly(): boolean {
    return isDone("mount", "-o", "remount,ro", this.folder)
  }

  unmount(): void {
    if (!isDone("umount", this.folder)) isDone("umount", "-l", this.folder)
  }
}
