/** One run of the drill of runners: processes that die, and what is in the database afterwards. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, spawn } from "node:child_process"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { Order, tables } from "./work.js"

export interface Run {
  readonly database: "sqlite" | "postgres"
  readonly url: Redacted.Redacted
  readonly workflows: number
  readonly kills: number
  readonly runners: number
}

/** A runner's process did not start. */
class RunnerFailed extends Data.TaggedError("RunnerFailed")<{ readonly message: string }> {}

/** A runner in a process of its own, once it runs. It is killed with the scope. */
const start = (program: string, namespace: string, url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.async<ChildProcess, RunnerFailed>((resume) => {
      const child = spawn(process.execPath, [program, namespace], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, KLAYTN_DATABASE_URL: Redacted.value(url) }
      })
      let errors = ""
      child.stderr.on("data", (chunk: Buffer) => errors += chunk.toString())
      child.stdout.once("data", () => resume(Effect.succeed(child)))
      child.once("error", ({ message }) => resume(Effect.fail(new RunnerFailed({ message }))))
      child.once("exit", (code) =>
        resume(Effect.fail(new RunnerFailed({ message: `a runner exited with ${code}: ${errors}` }))))
    }),
    (child) =>
      Effect.sync(() => child.kill("SIGKILL"))
  )

const killed = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

const drill = ({ database, kills, runners, url, workflows }: Run, namespace: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const names = tables(namespace)
    const program = yield* Effect.tryPromise(() => bundleProgram(new URL("./runner.ts", import.meta.url)))
    for (const table of Object.values(names)) {
      yield* sql`CREATE TABLE ${sql(table)} (name VARCHAR(40) NOT NULL, amount INTEGER NOT NULL)`
    }
    const count = (table: string) =>
      Effect.map(
        sql<{ readonly all: number | string; readonly keys: number | string }>`
          SELECT COUNT(*) AS "all", COUNT(DISTINCT name) AS "keys" FROM ${sql(table)}`,
        ([row]) => ({ all: Number(row?.all), keys: Number(row?.keys) })
      )
    // All at once: who comes first creates the tables.
    let alive = yield* Effect.all(Array.from({ length: runners }, () => start(program, namespace, url)), {
      concurrency: "unbounded"
    })
    const since = Date.now()
    const keys = Array.from({ length: workflows }, (_, i) => i)
    const asked = yield* Effect.fork(Effect.forEach(
      // Each key twice.
      [...keys, ...keys],
      (i) => Order.execute({ namespace, key: `order-${i}`, amount: i }),
      { concurrency: 200 }
    ))
    let deaths = 0
    for (let kill = 1; kill <= kills; kill++) {
      const share = Math.floor((workflows * kill) / (kills + 1))
      yield* count(names.payments).pipe(
        Effect.repeat({ until: ({ keys }) => keys >= share, schedule: Schedule.spaced("20 millis") })
      )
      const [oldest, ...others] = alive
      if (oldest === undefined) break
      yield* killed(oldest)
      deaths++
      alive = [...others, yield* start(program, namespace, url)]
    }
    const answers = yield* Fiber.join(asked)
    const seconds = (Date.now() - since) / 1000
    const attempted = yield* count(names.runs)
    const paid = yield* count(names.payments)
    const { health } = yield* Engine.Engine
    const { runners: heard, waiting } = yield* health
    const counts = {
      workflows,
      asked: answers.length,
      wrong: answers.filter((answer, i) => answer !== i % workflows).length,
      lost: workflows - paid.keys,
      doubled: paid.all - paid.keys,
      activities: attempted.all,
      activitiesRunAgain: attempted.all - attempted.keys,
      deaths,
      runners: heard,
      waiting,
      seconds
    }
    process.stdout.write(`${JSON.stringify({ drill: "runners", database, ...counts })}\n`)
    return counts.wrong + counts.lost + counts.doubled + waiting === 0 && attempted.keys === workflows &&
      deaths === kills
  }).pipe(Effect.scoped)

const engineTables = ["messages", "replies", "migrations", "runners", "locks", "commits", "processes"]

/** Leaves a database that others use as it was. */
const dropTables = (namespace: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      [...Object.values(tables(namespace)), ...engineTables.map((name) => `${namespace}_${name}`)],
      (table) => sql`DROP TABLE IF EXISTS ${sql(table)}`,
      { discard: true }
    ))

/** Four engines at the same moment, each on connections of its own, while no table is there. */
const startTogether = (url: Redacted.Redacted, namespace: string) => {
  const one = Engine.layerClient({ namespace }).pipe(Layer.provide(Database.layerConfig(Config.succeed(url))))
  return Effect.forEach([1, 2, 3, 4], () => Layer.build(Layer.fresh(one)), { concurrency: "unbounded", discard: true })
}

/** Runs the drill on one database, prints what it counted, and says whether all of it is right. */
export const runs = (run: Run) => {
  const namespace = `drill_${Date.now()}`
  return Effect.scoped(startTogether(run.url, namespace)).pipe(
    Effect.zipRight(
      drill(run, namespace).pipe(Effect.provide(Engine.layerClient({ namespace, pollInterval: "100 millis" })))
    ),
    Effect.ensuring(Effect.ignore(dropTables(namespace))),
    Effect.provide(Database.layerConfig(Config.succeed(run.url)))
  )
}
