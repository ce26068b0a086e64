/**
 * Exports as durable workflows of `@effect/workflow`, shared by any number of processes, on the engine that the program
 * provides, such as `Engine.layerRunner` of `@effect-klaytn/engine`.
 *
 * **Details**
 *
 * {@link submit} stores the export as a workflow, and waits for its manifest. Processes with {@link layer} run it: the
 * windows of an export are divided into up to 64 shares, each read by one process, window after window. When a process
 * stops or dies, others take over its shares. `SqlSink` commits rows and progress together, in the database of
 * `SqlClient`: a window continues from its last commit, and if two processes read a window at the same time, each row
 * is stored once.
 *
 * Workers wait until an outage or throttling ends, however long, and for the next day of a budget. `SqlSink.budget` is
 * a budget that all processes share.
 *
 * **Example** (one process of many)
 *
 * ```ts
 * import * as Database from "@effect-klaytn/engine/Database"
 * import * as Engine from "@effect-klaytn/engine/Engine"
 * import * as SqlSink from "@effect-klaytn/exports/SqlSink"
 * import * as Workers from "@effect-klaytn/exports/Workers"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * // Provide TransferHistory.
 * export const Worker = SqlSink.budget({ perSecond: 50, perDay: 100_000 }).pipe(
 *   Effect.map((budget) => Workers.layer({ budget })),
 *   Layer.unwrapEffect,
 *   Layer.provideMerge(Engine.layerRunner()),
 *   Layer.provideMerge(Database.layerConfig())
 * )
 * ```
 */
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { TransferHistory } from "@effect-klaytn/history/TransferHistory"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import type { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { ExportError } from "./ExportError.js"
import type { Settings } from "./Exports.js"
import { readPrefix } from "./internal/databaseSink.js"
import * as internal from "./internal/exportRun.js"
import { Manifest } from "./Manifest.js"
import { Plan } from "./Plan.js"
import * as SqlSink from "./SqlSink.js"

/**
 * The export can't continue: `reason` is the tag of the error that stopped it. What was committed stays. Once the cause is
 * fixed, submit it with the next `attempt`, and it continues from there.
 *
 * @category errors
 */
export class ExportFailed extends Schema.TaggedError<ExportFailed>("@effect-klaytn/exports/ExportFailed")(
  "ExportFailed",
  { reason: Schema.String, problem: Schema.String }
) {
  override get message() {
    return this.problem
  }
}

/** The most shares of an export: more processes than that don't make it faster. */
const maxShares = 64

const Export = Workflow.make({
  name: "effect-klaytn/Export",
  payload: { plan: Plan, prefix: Schema.String, attempt: Schema.NonNegativeInt },
  success: Manifest,
  error: ExportFailed,
  // Neither its version nor that of its columns makes a plan another one: a newer program submits the same work.
  idempotencyKey: ({ attempt, plan, prefix }) =>
    JSON.stringify([prefix, attempt, Schema.encodeSync(Plan)(new Plan({ ...plan, version: 1, columns: undefined }))])
})

/** The windows whose number has the remainder `share` when divided by `shares`. */
const Share = Workflow.make({
  name: "effect-klaytn/ExportShare",
  payload: { parent: Schema.String, prefix: Schema.String, share: Schema.NonNegativeInt, shares: Schema.Positive },
  error: ExportFailed,
  idempotencyKey: ({ parent, share }) => `${parent}/${share}`
})

/** Retries for about 10 minutes while the database does not answer, and waits for the next day of a budget. */
const withRetries = <A, R>(
  effect: Effect.Effect<A, ExportError | InvalidInput, R>
): Effect.Effect<A, ExportFailed, R> =>
  effect.pipe(
    Effect.tapErrorTag(
      "BudgetExhausted",
      ({ until = 0 }) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, until * 1000 - now)))
    ),
    Effect.retry({ while: (error) => error._tag === "BudgetExhausted" && error.until !== undefined }),
    Effect.retry({
      while: (error) => error._tag === "SinkError" && error.reason === "unavailable",
      schedule: Schedule.exponential("250 millis").pipe(
        Schedule.union(Schedule.spaced("30 seconds")),
        Schedule.upTo("10 minutes"),
        Schedule.resetAfter("2 minutes")
      )
    }),
    Effect.mapError((error) => new ExportFailed({ reason: error._tag, problem: error.message }))
  )

/**
 * Carries out the exports that are submitted. `concurrency` is how many requests of an export this process makes at
 * once.
 *
 * @category layers
 */
export const layer = (
  settings: Pick<Settings, "budget" | "concurrency"> = {}
): Layer.Layer<never, never, WorkflowEngine | SqlClient | TransferHistory> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    /** What the shares of one export have in common in this process, while there are any. */
    const runs = yield* RcMap.make({
      lookup: (prefix: string) =>
        Effect.flatMap(
          SqlSink.make({ prefix }),
          (sink) => internal.start({ ...settings, sink, giveUpAfter: Duration.infinity }, undefined)
        )
    }).pipe(
      // It holds nothing that must be closed, and activities continue for a while when the layer is closed.
      Effect.provideServiceEffect(Scope.Scope, Scope.make())
    )

    const runExport = Export.toLayer(Effect.fnUntraced(function*({ plan, prefix }, executionId) {
      const windows = yield* Activity.make({
        name: "begin",
        success: Schema.Positive,
        error: ExportFailed,
        execute: SqlSink.make({ prefix }).pipe(
          Effect.flatMap((sink) => sink.open(plan)),
          Effect.flatMap((session) => session.plan),
          Effect.map((stored) => stored.windows.length),
          Effect.scoped,
          withRetries
        )
      })
      const shares = Math.min(maxShares, windows)
      // Every share comes to its end, so that none still works when the export has failed.
      const ends = yield* Effect.forEach(
        Array.from({ length: shares }, (_, share) => share),
        (share) => Effect.either(Share.execute({ parent: executionId, prefix, share, shares })),
        { concurrency: "unbounded" }
      )
      yield* Effect.all(ends, { discard: true })
      return yield* Activity.make({
        name: "end",
        success: Manifest,
        error: ExportFailed,
        execute: RcMap.get(runs, prefix).pipe(Effect.flatMap(internal.finish), Effect.scoped, withRetries)
      })
    }))

    const readShare = Share.toLayer(({ prefix, share, shares }) =>
      Activity.make({
        name: "read",
        error: ExportFailed,
        execute: Effect.gen(function*() {
          const run = yield* RcMap.get(runs, prefix)
          const plan = yield* run.session.plan
          const windows = plan.windows.filter(({ index }) => index % shares === share)
          yield* internal.readOpen({ ...run, maxConcurrency: 1 }, new Plan({ ...plan, windows }), () => Effect.void)
        }).pipe(Effect.scoped, withRetries)
      })
    )

    return Layer.merge(runExport, readShare)
  }))

const read = Input.decode(
  "exports.submit",
  Schema.Struct({
    plan: Schema.typeSchema(Plan),
    prefix: Schema.optionalWith(Schema.String, { default: () => "" }),
    attempt: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 })
  })
)

/**
 * Submits an export and waits for its manifest. The same export submitted again, at any time and from anywhere, is the
 * same work: it is done once, and every caller gets its result. Interruption stops the waiting, not the export.
 *
 * **Details**
 *
 * The result is kept, also that of a failed export: `attempt`, 0 by default, distinguishes a new attempt from the last
 * one. `prefix` is that of `SqlSink`; another plan under the same prefix fails with the reason `SinkError`.
 *
 * @category constructors
 */
export const submit = (
  options: SqlSink.Options & { readonly plan: Plan; readonly attempt?: number | undefined }
): Effect.Effect<Manifest, ExportFailed | InvalidInput, WorkflowEngine> =>
  Effect.gen(function*() {
    const { attempt, plan, prefix } = yield* read(options)
    yield* readPrefix({ prefix })
    return yield* Export.execute({ plan, prefix, attempt })
  })
