import * as MasterKey from "@effect-klaytn/custody/MasterKey"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watchedDisk } from "../../store/test/support/watchedDisk.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "new-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("a new master key", () => {
  it.scoped("is on the disk before its file has its name, and its name before anything is sealed", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "key")
      const { calls } = yield* watchedDisk
      yield* MasterKey.make(file)
      const [bytes = "", named = "", ...rest] = calls
      const part = bytes.replace("sync ", "")
      assert.match(part, /key\.[0-9a-f]{12}\.part$/)
      const isPosix = process.platform !== "win32"
      assert.deepStrictEqual([named, rest], [`name ${part} ${file}`, isPosix ? [`sync ${path}`] : []])
      assert.deepStrictEqual(readdirSync(path), ["key"])
      if (isPosix) assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const before = readFileSync(file, "utf8")
      assert.strictEqual((yield* Effect.flip(MasterKey.make(file))).reason, "Missing")
      assert.deepStrictEqual([readdirSync(path), readFileSync(file, "utf8")], [["key"], before])
    }))
})
