/**
 * A process of the drill that continues an export of an older version with more tables and columns, and kills itself at one of its
 * statements: before the first, after the first, before the second...
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { readFileSync } from "node:fs"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import * as Service from "../../packages/exports/test/support/service.js"
import * as trial from "../../packages/exports/test/support/trial.js"
import { databaseOf } from "./jobDatabase.js"
import type * as records from "./records.js"
import { HistoryService } from "./service.js"
import type { UpgradeJob } from "./upgrades.js"

// Written by the parent.
const job = JSON.parse(process.argv[2] ?? "{}") as UpgradeJob
const history = JSON.parse(readFileSync(job.history, "utf8")) as ReadonlyArray<records.Recorded>

let moments = 0

/** A moment before or after a statement, or after a transaction was committed. */
const pass = (): void => {
  if (++moments === job.dieAt) process.kill(process.pid, "SIGKILL")
}

const isOfDatabase = (name: string): boolean => name.startsWith("sql.")

const tracer = Tracer.make({
  context: (run) => run(),
  span: (name, parent, context, links, startTime, kind) => {
    if (isOfDatabase(name) && name !== "sql.transaction") pass()
    return {
      _tag: "Span",
      name,
      spanId: "1",
      traceId: "1",
      parent,
      context,
      links: [...links],
      kind,
      sampled: true,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      attribute: () => undefined,
      event: () => undefined,
      addLinks: () => undefined,
      end: () => {
        if (isOfDatabase(name)) pass()
      }
    }
  }
})

const tell = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

await SqlSink.make().pipe(
  Effect.flatMap((sink) =>
    Effect.tap(Effect.scoped(sink.open()), Effect.sync(() => tell({ opened: moments }))).pipe(
      Effect.zipRight(Exports.run({ sink, concurrency: 2 }))
    )
  ),
  Effect.tap(({ complete, rows }) => Effect.sync(() => tell({ complete, rows, moments }))),
  trial.withMigrations,
  trial.withColumns,
  Effect.withTracer(tracer),
  Effect.provide(Service.of(new HistoryService(history))),
  Effect.provide(databaseOf(job)),
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => tell({ log: String(message) })))),
  Effect.runPromise
)
process.exit(0)
