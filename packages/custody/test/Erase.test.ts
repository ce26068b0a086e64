import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { erase } from "../src/internal/erase.js"
import { chain, openDatabase } from "./support/guardedWallet.js"

it.scoped("waits until no program reads a file, or says that the log beside it may have bytes of before", () =>
  Effect.gen(function*() {
    const sql = yield* openDatabase()
    yield* sql`CREATE TABLE readers (id INTEGER)`
    /** SQLite's answer to who empties the log is not 0 while others read it. */
    const read = new Proxy(sql, {
      apply: (target, self, words: ReadonlyArray<unknown>) =>
        String(words[0]).startsWith("PRAGMA wal_checkpoint")
          ? sql`SELECT count(*) AS busy FROM readers`
          : Reflect.apply(target, self, [...words])
    })
    yield* sql`INSERT INTO readers VALUES (1)`
    const waiting = yield* Effect.fork(erase(read, chain))
    yield* TestClock.adjust("1 seconds")
    yield* sql`DELETE FROM readers`
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(yield* Fiber.join(waiting), [])
    yield* sql`INSERT INTO readers VALUES (1)`
    const late = yield* Effect.fork(erase(read, chain))
    yield* TestClock.adjust("6 seconds")
    const [left = "", ...more] = yield* Fiber.join(late)
    assert.match(left, /the -wal file beside it, may have bytes of before \(a program reads the file all the time\)/)
    assert.deepStrictEqual(more, [])
  }))
