/** Every kind of SQLite store tells a file that lacks its `-wal`, and is whole after a stop. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type KindName, kinds } from "../../drills/database/storeKinds.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "whole-files-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The numbers in a file, or in words why it is refused. */
const look = (kind: KindName, file: string) =>
  Effect.map(
    Effect.exit(Effect.scoped(Effect.flatMap(kinds[kind](file), ({ numbers }) => numbers))),
    Exit.match({ onFailure: (cause) => Cause.pretty(cause), onSuccess: (numbers) => numbers.join() })
  )

// The callers of a gateway are written without a `-wal`.
const names = Object.keys(kinds).filter((name): name is KindName => name !== "callers")

describe.each(names)("the store of %s", (kind) => {
  it.scopedLive("is refused without the -wal that it needs, and whole with it and after a stop", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "store.db")
      yield* Effect.scoped(Effect.gen(function*() {
        const { write } = yield* kinds[kind](file)
        yield* write(1)
        copyFileSync(file, join(path, "alone.db"))
        for (const suffix of ["", "-wal"]) copyFileSync(`${file}${suffix}`, `${join(path, "both.db")}${suffix}`)
      }))
      assert.include(
        yield* look(kind, join(path, "alone.db")),
        "FILE-wal is not beside it, and has what was written last"
      )
      assert.strictEqual(yield* look(kind, join(path, "both.db")), "1")
      copyFileSync(file, join(path, "stopped.db"))
      assert.strictEqual(yield* look(kind, join(path, "stopped.db")), "1")
    }))
})
