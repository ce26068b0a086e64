import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import * as CallerFile from "../src/CallerFile.js"
import * as walletFile from "../src/internal/walletFile.js"
import * as world from "./support/world.js"

const libsql = createRequire(new URL("../../store/src/index.ts", import.meta.url)).resolve("libsql")

/** What another process sees, which opens the file and closes it again as the last one would. */
const seenOutside = (file: string, query: string): string =>
  execFileSync(process.execPath, [
    "--input-type=commonjs",
    "-e",
    `const d = new (require(${JSON.stringify(libsql)}))(${JSON.stringify(file)})
     console.log(d.prepare(${JSON.stringify(query)}).raw(true).get()[0]); d.close()`
  ]).toString().trim()

describe("the file of a wallet", () => {
  it.scoped("keeps what was written though this process opens it again, and another one closes it", () =>
    Effect.gen(function*() {
      const callers = yield* world.file("index.db.callers")
      const file = CallerFile.walletBeside(callers)
      const sql = yield* walletFile.openDatabase(file)
      yield* sql`CREATE TABLE wallet_kept (one INTEGER)`
      const count = "SELECT count(*) FROM wallet_kept"
      const again = {
        wallet: Effect.scoped(Effect.asVoid(walletFile.openDatabase(file))),
        callers: Effect.scoped(
          Effect.flatMap(CallerFile.open(callers), (opened) =>
            Effect.zipRight(
              opened.list,
              Effect.sync(() => opened.check("Basic YTpi"))
            ))
        )
      }
      let rows = 0
      for (const opening of [again.wallet, again.callers]) {
        yield* opening
        assert.strictEqual(seenOutside(file, count), `${rows}`)
        yield* sql`INSERT INTO wallet_kept VALUES (1)`
        rows++
        assert.isTrue(existsSync(`${file}-wal`))
        assert.strictEqual(seenOutside(file, count), `${rows}`)
      }
    }))
})
