import * as NewFile from "@effect-klaytn/store/NewFile"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watchedDisk } from "./support/watchedDisk.js"

const isPosix = process.platform !== "win32"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "new-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("a file that is replaced", () => {
  it.scoped("has its new bytes on the disk before they have its name, and nobody else reads them", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "head")
      const { calls } = yield* watchedDisk
      const part = `${file}.part`
      for (const bytes of ["first", "second"]) {
        calls.length = 0
        NewFile.replace(file, bytes)
        assert.deepStrictEqual(calls, [`sync ${part}`, `rename ${part} ${file}`, ...(isPosix ? [`sync ${path}`] : [])])
        assert.deepStrictEqual([readdirSync(path), readFileSync(file, "utf8")], [["head"], bytes])
      }
      if (isPosix) assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    }))
})

describe("a new file", () => {
  it.scoped("leaves nothing behind, and removes what a stopped program has left of it long ago", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "one.backup")
      const left = [
        "one.backup.0123456789ab.part",
        "one.backup.ba9876543210.part",
        "two.backup.0123456789ab.part",
        "one.backup.part"
      ]
      for (const name of left) writeFileSync(join(path, name), "sealed")
      const past = Date.now() / 1000 - 4000
      for (const name of left.slice(1)) utimesSync(join(path, name), past, past)
      const options = { check: () => Effect.void, failed: (cause: unknown) => cause }
      yield* NewFile.write(file, "whole", options)
      // One may be written by another program just now, and the others are of other files.
      assert.deepStrictEqual(readdirSync(path).toSorted(), [left[0], "one.backup", left[3], left[2]].toSorted())
      assert.strictEqual(readFileSync(file, "utf8"), "whole")
      const refused = NewFile.write(join(path, "bad.backup"), "", { ...options, check: () => Effect.fail("bad") })
      assert.strictEqual(yield* Effect.flip(refused), "bad")
      assert.lengthOf(readdirSync(path), 4)
    }))
})
