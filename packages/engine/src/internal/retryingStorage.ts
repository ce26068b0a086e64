/**
 * The storage of messages, with transient failures retried. The workflow engine takes a failure of the storage for a
 * defect of the workflow and stores that as its result: without this, a restart of the database ends every workflow that
 * is under way.
 */
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import { PersistenceError } from "@effect/cluster/ClusterError"
import * as MachineId from "@effect/cluster/MachineId"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { DatabaseRetries } from "./databaseRetries.js"

/** Runs outside a caller's open transaction: the message would wait for its commit, and the caller for the message. */
const outsideTransaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(effect, Context.omit(SqlClient.TransactionConnection))

/** How storage is waited for, and how often a runner reads again what was read and not done. */
export interface Times {
  readonly databaseRetries: DatabaseRetries
  readonly reread: Duration.DurationInput
}

/** A commit that fails is a defect of the client. Unless it becomes a failure, a reply is lost: the cluster repeats only failures. */
const commitFailures = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | PersistenceError> =>
  Effect.catchSomeDefect(
    effect,
    (defect) =>
      Predicate.isTagged(defect, "SqlError") ? Option.some(new PersistenceError({ cause: defect })) : Option.none()
  )

const retryingStorage = (storage: MessageStorage.MessageStorage["Type"], { databaseRetries, reread }: Times) => {
  let lastReread = 0
  /**
   * A runner marks the messages that it reads, and others leave them alone for ten minutes. One that reads while its share
   * moves to another runner marks messages and drops them. So each runner reads all of its share again from time to time. The
   * cluster skips the messages that the runner is processing already.
   */
  const forgetReads = (shards: Parameters<typeof storage.resetShards>[0]) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - lastReread < Duration.toMillis(reread)) return Effect.void
      lastReread = now
      return again(storage.resetShards(shards))
    })
  const again = <A, E>(effect: Effect.Effect<A, E>) =>
    databaseRetries.untilDatabaseAnswers(commitFailures(outsideTransaction(effect)))
  return MessageStorage.MessageStorage.of({
    ...storage,
    saveRequest: (message) => again(storage.saveRequest(message)),
    saveEnvelope: (message) => again(storage.saveEnvelope(message)),
    // An earlier attempt may have been committed without an answer: then this very reply is stored.
    saveReply: (reply) =>
      again(storage.saveReply(reply)).pipe(
        Effect.catchTag("PersistenceError", (error) =>
          Effect.flatMap(
            again(storage.repliesForUnfiltered([reply.reply.requestId])),
            (stored) => stored.some(({ id }) => id === String(reply.reply.id)) ? Effect.void : Effect.fail(error)
          ))
      ),
    clearReplies: (requestId) => again(storage.clearReplies(requestId)),
    repliesFor: (requests) => again(storage.repliesFor(requests)),
    repliesForUnfiltered: (requestIds) => again(storage.repliesForUnfiltered(requestIds)),
    requestIdForPrimaryKey: (key) => again(storage.requestIdForPrimaryKey(key)),
    unprocessedMessages: (shards) =>
      Effect.suspend(() => {
        // An iterable may be read only once.
        const own = [...shards]
        return Effect.zipRight(forgetReads(own), again(storage.unprocessedMessages(own)))
      }),
    unprocessedMessagesById: (ids) => again(storage.unprocessedMessagesById(ids)),
    resetShards: (shards) => again(storage.resetShards(shards)),
    resetAddress: (address) => again(storage.resetAddress(address)),
    clearAddress: (address) => again(storage.clearAddress(address))
  })
}

/** The same storage, with transient failures retried. */
export const messages =
  (times: Times) =>
  <E, R>(layer: Layer.Layer<MessageStorage.MessageStorage, E, R>): Layer.Layer<MessageStorage.MessageStorage, E, R> =>
    Layer.project(
      layer,
      MessageStorage.MessageStorage,
      MessageStorage.MessageStorage,
      (storage) => retryingStorage(storage, times)
    )

/** Failures of the locks that tell which runner has which share. The cluster tries again by itself, and logs them only for debugging. */
const logFailures =
  (what: string) => <A>(effect: Effect.Effect<A, PersistenceError>): Effect.Effect<A, PersistenceError> =>
    Effect.tapError(
      effect,
      (error) =>
        DatabaseLog.failure(`${what} failed (${DatabaseFault.describe(DatabaseFault.of(error))}); trying again`, error)
    )

/**
 * Identifiers of messages are made of the time, a number of the process and a sequence. By default runners are counted and
 * clients take random numbers, and two with the same number refuse each other's messages. Here all are counted.
 */
export const numbered =
  (process: number) =>
  <E, R>(layer: Layer.Layer<RunnerStorage.RunnerStorage, E, R>): Layer.Layer<RunnerStorage.RunnerStorage, E, R> => {
    const machine = MachineId.make(process % 1024)
    return Layer.effect(
      RunnerStorage.RunnerStorage,
      Effect.gen(function*() {
        const storage = yield* RunnerStorage.RunnerStorage
        const generator = yield* Snowflake.Generator
        yield* generator.setMachineId(machine)
        return RunnerStorage.RunnerStorage.of({
          ...storage,
          getRunners: storage.getRunners.pipe(logFailures("reading which runners there are")),
          register: (runner, healthy) =>
            Effect.as(storage.register(runner, healthy), machine).pipe(logFailures("registering this runner")),
          acquire: (address, shards) =>
            storage.acquire(address, shards).pipe(logFailures("taking the locks of this runner's share")),
          refresh: (address, shards) =>
            storage.refresh(address, shards).pipe(logFailures("renewing the locks of this runner's share")),
          release: (address, shard) =>
            storage.release(address, shard).pipe(logFailures("giving up a lock of this runner's share"))
        })
      })
    ).pipe(Layer.provide(layer), Layer.provide(Snowflake.layerGenerator))
  }
