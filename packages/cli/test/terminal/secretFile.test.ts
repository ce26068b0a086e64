import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { watchedDisk } from "../../../store/test/support/watchedDisk.js"
import * as secretFile from "../../src/internal/terminal/secretFile.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "secret-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("a new file with a secret", () => {
  it.scoped("is on the disk with its name when the command ends, and gone if its secret can't be made", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "shop.env")
      const { calls } = yield* watchedDisk
      yield* secretFile.write(file, Effect.succeed("a secret"))
      assert.strictEqual(readFileSync(file, "utf8"), "a secret")
      const isPosix = process.platform !== "win32"
      assert.deepStrictEqual(calls, [`sync ${file}`, ...(isPosix ? [`sync ${path}`] : [])])
      const other = join(path, "till.env")
      assert.strictEqual(yield* Effect.flip(secretFile.write(other, Effect.fail("no caller"))), "no caller")
      assert.isFalse(existsSync(other))
    }))
})
