import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Chains from "../src/Chains.js"
import { openStore } from "../src/internal/store/Store.js"
import * as Sandbox from "../src/Sandbox.js"

const gpeb = 10n ** 9n

const withFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "rules-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "sandbox.db")
)

/** What a chain charges for a transfer that offers what is suggested, and what the sandbox says of its rules. */
const paid = (database: string, more: Sandbox.Options = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const said: Array<string> = []
    const keeping = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void said.push(String(message))))
    const { chains, control } = yield* Effect.provide(Sandbox.make({ database, ...more }), keeping)
    const { rules } = yield* control.chain(1001).state
    const { gasPrice } = yield* chains.chain(1001).fund(chains.account("alice").address, 1n)
    const next = yield* chains.chain(1001).nextBlock
    return { rules, gasPrice, baseFee: next.baseFeePerGas, said: said.filter((line) => line.includes("rules")) }
  }))

it.scoped("A file from before files kept rules goes on with its own, says so, and keeps them over a reset", () =>
  Effect.gen(function*() {
    const database = yield* withFile
    assert.deepInclude(yield* paid(database), { rules: "kaiaExecution", gasPrice: 27_500_000_000n, said: [] })
    yield* Effect.acquireUseRelease(
      Effect.sync(() => openStore(database)),
      ({ driver }) => Effect.sync(() => driver.exec("DELETE FROM meta WHERE name LIKE 'rules %'")),
      (store) => Effect.sync(() => store.close())
    )
    const older = yield* paid(database)
    assert.deepInclude(older, { rules: "constantPrice", gasPrice: 25n * gpeb, baseFee: 25n * gpeb })
    assert.lengthOf(older.said, 2)
    assert.include(
      older.said.join("\n"),
      "chain 1001 goes on with the rules that its file was made with: every transaction pays the base fee alone"
    )
    yield* Effect.scoped(Effect.flatMap(Chains.make({ database }), (chains) => chains.chain(1001).reset))
    assert.deepInclude(yield* paid(database), { rules: "constantPrice", gasPrice: 25n * gpeb })
  }))
