/**
 * The layers that run and submit workflows of `@effect/workflow`.
 */
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Database from "./Database.js"
import { EngineError } from "./EngineError.js"
import * as databaseRetries from "./internal/databaseRetries.js"
import * as ended from "./internal/ended.js"
import { misconfigured, toEngineError } from "./internal/failure.js"
import * as health from "./internal/health.js"
import * as interruptibleHandlers from "./internal/interruptibleHandlers.js"
import * as retryingStorage from "./internal/retryingStorage.js"
import * as setup from "./internal/setup.js"

/**
 * The options of an engine. All have defaults.
 *
 * @category models
 */
export interface Options {
  /**
   * The first part of the names of its tables, `klaytn` by default. Engines of different namespaces in one database are
   * independent. Every runner of a namespace must have the same workflows.
   */
  readonly namespace?: string | undefined
  /** How often the database is queried for new work and for results of other processes. 500 milliseconds by default. */
  readonly pollInterval?: Duration.DurationInput | undefined
  /**
   * On Postgres: how long a runner keeps its shards if it does not renew its locks. After this time, other runners take
   * over the shards of a runner that died or was suspended. 15 seconds by default, at least 10.
   *
   * A runner renews its locks three times in this period. If one renewal takes longer than a third of it, the runner
   * stops its work and begins again, so with a smaller value a busy machine would do nothing else. On SQLite, where a
   * file has one runner, this is only how often unfinished work is read again.
   */
  readonly lockExpiration?: Duration.DurationInput | undefined
  /**
   * How long the database may be unreachable, for example while it restarts. A client's call ends with a defect after
   * that time, 30 seconds by default. A runner continues to wait, because a workflow must not end because of it, and
   * fails `Engine.failure`; without a limit, the default, it only logs.
   */
  readonly databaseTimeout?: Duration.DurationInput | undefined
  /**
   * How long activities may continue when the layer is closed or their shard moves, before they are interrupted. 5 seconds
   * by default. If an activity has not ended after the same time again, it is abandoned, and another runner runs it.
   */
  readonly shutdownTimeout?: Duration.DurationInput | undefined
}

/**
 * The health of an engine. If you get it, the database answers.
 *
 * @category models
 */
export interface Health {
  /** Runners with a heartbeat within the last `lockExpiration`, or on SQLite within the last 30 seconds. */
  readonly runners: number
  /** Messages, such as submitted workflows and wake-ups, that are due and that no runner has taken. */
  readonly waiting: number
  /** How long the oldest of them has been there. A wake-up or a resumed workflow counts from when it was first made. */
  readonly oldestWaiting: Option.Option<Duration.Duration>
  /** Messages that a runner has taken and not finished. */
  readonly underWay: number
}

/**
 * An engine, beside the `WorkflowEngine` that workflows use.
 *
 * @category services
 */
export class Engine extends Context.Tag("@effect-klaytn/engine/Engine")<Engine, {
  readonly namespace: string
  /** Whether this process runs workflows; others only submit them and wait. */
  readonly runs: boolean
  /** Reads the database now. Fails if that takes more than 5 seconds. */
  readonly health: Effect.Effect<Health, EngineError>
  /**
   * Deletes what is stored of a workflow's executions that were begun longer than `after` ago and have ended, and returns how many
   * they were. Nothing else ever deletes them. An execution that is submitted again runs again, and its result can't be polled: only
   * for a workflow whose state is kept elsewhere.
   */
  readonly forget: (workflow: string, after: Duration.DurationInput) => Effect.Effect<number, EngineError>
  /**
   * Never succeeds. Fails with `Unusable` as soon as the database is full, read-only or refuses this process, and with
   * `Unreachable` when it has been away for `databaseTimeout`. Race the program with it, so that the process ends and says
   * what to do. Until then everything waits, and no workflow ends because of it.
   */
  readonly failure: Effect.Effect<never, EngineError>
  /**
   * Repeats an effect that fails with a `SqlError` while the database is unreachable, as the engine does for its own
   * rows: each repetition is logged and reported to `failure`, and on a client a fault that doesn't pass ends the
   * effect at once. Other failures end it at once, too. Make sure that the effect may be repeated: a commit whose
   * answer was lost may have been made.
   */
  readonly untilDatabaseAnswers: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>() {}

/** Reads a duration. Effect makes 0 of a negative one and of `NaN`: those are none. */
const readDuration = (value: Duration.DurationInput): Option.Option<Duration.Duration> => {
  const isNegative = (part: unknown): boolean =>
    typeof part === "number" ? !(part >= 0) : typeof part === "bigint" ? part < 0n : String(part).startsWith("-")
  const parts: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return parts.some(isNegative) ? Option.none() : Duration.decodeUnknown(value)
}

/** The cluster allows each operation on locks a third of it: a little more than 3 seconds. */
const minExpiration = Duration.seconds(10)

/** Only one process runs workflows on a SQLite file, which it locks, so the locks of shards need not expire soon. */
const fileExpiration = Duration.seconds(30)

const decodeOptions = Effect.fnUntraced(function*(options: Options) {
  const namespace = options.namespace ?? "klaytn"
  const refused = (message: string) => misconfigured(namespace, message)
  const time = (name: string, value: Duration.DurationInput) =>
    Effect.mapError(
      readDuration(value),
      () => refused(`The option ${name} is no duration: give one such as "10 seconds".`)
    )
  const lockExpiration = yield* time("lockExpiration", options.lockExpiration ?? "15 seconds")
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(namespace)) {
    return yield* refused("A namespace is a letter and up to 29 more, digits or underscores, all in lower case.")
  }
  if (!Duration.greaterThanOrEqualTo(lockExpiration, minExpiration)) {
    return yield* refused(
      "A lockExpiration of less than 10 seconds takes work away from runners that are only slow: raise it."
    )
  }
  const { databaseTimeout } = options
  return {
    namespace,
    lockExpiration,
    databaseTimeout: databaseTimeout === undefined ? undefined : yield* time("databaseTimeout", databaseTimeout),
    pollInterval: yield* time("pollInterval", options.pollInterval ?? "500 millis"),
    shutdownTimeout: yield* time("shutdownTimeout", options.shutdownTimeout ?? "5 seconds")
  }
})

const layer = (options: Options, runs: boolean) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { databaseTimeout, lockExpiration, namespace, pollInterval, shutdownTimeout } = yield* decodeOptions(options)
    const place = yield* setup.place
    const waiting = yield* databaseRetries.make({
      database: place.name,
      limit: databaseTimeout ?? (runs ? Duration.infinity : Duration.seconds(30)),
      endures: runs
    })
    const process = yield* setup.prepare(namespace, place)
    if (runs) yield* setup.own(place)
    const expiration = sql.onDialectOrElse({ sqlite: () => fileExpiration, orElse: () => lockExpiration })
    const config = ShardingConfig.layer({
      // Processes don't call each other: the address is only a name, and no port is open. The one runner of a SQLite
      // file always has the same, so that it takes over the shards of its predecessor at once.
      runnerAddress: runs
        ? Option.some(RunnerAddress.make(place.file === undefined ? `${namespace}-${process}` : "sqlite", 1))
        : Option.none(),
      // Rows, which belong to a namespace, and not Postgres' own locks, which are one space for a database.
      shardLockDisableAdvisory: true,
      shardLockExpiration: expiration,
      refreshAssignmentsInterval: "3 seconds",
      entityMessagePollInterval: pollInterval,
      entityReplyPollInterval: Duration.min(pollInterval, "200 millis"),
      entityTerminationTimeout: shutdownTimeout,
      // By default, a runner that does not know a workflow stores this as its end after a minute.
      entityRegistrationTimeout: Duration.infinity
    })
    const cluster = interruptibleHandlers.layer(shutdownTimeout)(Sharding.layer).pipe(
      Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
      Layer.provideMerge(
        setup.messages(namespace).pipe(
          retryingStorage.messages({ databaseRetries: waiting, reread: lockExpiration })
        )
      ),
      Layer.provide(
        SqlRunnerStorage.layerWith({ prefix: namespace }).pipe(
          Layer.mapError(toEngineError("Setup", place.name)),
          retryingStorage.numbered(process)
        )
      ),
      Layer.provide(config)
    )
    const engine = Engine.of({
      ...waiting,
      namespace,
      runs,
      health: health.read(sql, namespace, place.name, expiration),
      forget: ended.forget(sql, namespace, place.name)
    })
    return Layer.merge(ClusterWorkflowEngine.layer.pipe(Layer.provide(cluster)), Layer.succeed(Engine, engine))
  }))

/**
 * Runs workflows, and submits them. Provide it to the layers of the workflows (`workflow.toLayer`).
 *
 * **Details**
 *
 * On Postgres any number of processes run beside each other, and share the work of a namespace; on SQLite one process
 * runs on a file. Runners talk through the database alone: none listens on a port.
 *
 * When the layer is closed, the runner takes no more work, gives activities `shutdownTimeout` to end, and releases its
 * shards, so that other runners take them over at once. Interrupted work runs again, there or later.
 *
 * @category layers
 */
export const layerRunner = (
  options: Options = {}
): Layer.Layer<Engine | WorkflowEngine.WorkflowEngine, EngineError, SqlClient.SqlClient> => layer(options, true)

/**
 * Submits workflows and waits for their results, and runs none. For a command, or a web server whose work is done elsewhere.
 *
 * **Details**
 *
 * A workflow that is submitted is stored at once, whether or not a runner is there. If the database does not answer for 30
 * seconds, the call dies. Then it is not known whether the workflow was submitted; submitting it again with the same payload
 * is safe.
 *
 * @category layers
 */
export const layerClient = (
  options: Options = {}
): Layer.Layer<Engine | WorkflowEngine.WorkflowEngine, EngineError, SqlClient.SqlClient> => layer(options, false)

/**
 * A runner with a database in memory, for tests. The database is gone when the layer is closed. The runner's loops wait on
 * the clock: with `it.effect`, move the `TestClock`, or use `it.live`.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<
  Engine | WorkflowEngine.WorkflowEngine | SqlClient.SqlClient,
  EngineError
> = layerRunner({ pollInterval: "20 millis", shutdownTimeout: "1 second" }).pipe(
  Layer.provideMerge(Layer.mapError(Database.layerSqlite({ file: ":memory:" }), (error) => new EngineError(error)))
)
