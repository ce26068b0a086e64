/**
 * A process that upgrades the tables of payouts, and prints what it did. `DIES_BEFORE` is the number of the statement before
 * which it kills itself, if any, and `STARTS_AT` the time at which it begins.
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as migrations from "../src/internal/migrations.js"

const { DIES_BEFORE = "0", NAMESPACE = "klaytn", STARTS_AT = "0" } = process.env

let statements = 0

const upgrade = migrations.upgrade(NAMESPACE).pipe(
  Statement.withTransformer((statement) =>
    Effect.sync(() => {
      statements++
      if (statements === Number(DIES_BEFORE)) process.kill(process.pid, "SIGKILL")
      return statement
    })
  ),
  Effect.delay(Math.max(0, Number(STARTS_AT) - Date.now())),
  Effect.provide(Database.layerConfig()),
  Effect.provide(Logger.remove(Logger.defaultLogger))
)

const done = await Effect.runPromise(upgrade)
process.stdout.write(JSON.stringify({ ...done, statements }))
