/** The index of a gateway in Postgres: any number of processes serve it, and one follows the node. */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import * as PostgresBackfill from "@effect-klaytn/indexer/PostgresBackfill"
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as Lease from "@effect-klaytn/store/Lease"
import type { NewerTables } from "@effect-klaytn/store/Migrations"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomBytes, randomUUID } from "node:crypto"
import { hostname } from "node:os"
import type { GatewayError } from "../GatewayError.js"
import * as CallerTable from "./CallerTable.js"
import type { IndexHome, OpenIndex } from "./IndexHome.js"
import * as refusals from "./startRefusals.js"

/** Where the index is. */
export interface Place {
  readonly schema: string
  /** The schema of the wallet, whether or not there is one. */
  readonly walletSchema: string
  /** Is run when this process begins to follow, and when another one takes over. */
  readonly onLease: (isHeld: boolean) => Effect.Effect<void>
  /** Is run with the cause each time that this process can't ask to follow, and with nothing when it can. */
  readonly onRefused: (why: string | undefined) => Effect.Effect<void>
  /** The clients of the lease and of readiness, and of what follows the node. */
  readonly watching: SqlClient
  readonly writing: SqlClient
}

const chainOf = (kept: string | undefined): Chain | undefined =>
  kept === "8217" ? 8217 : kept === "1001" ? 1001 : undefined

const refused = <A, R>(
  effect: Effect.Effect<A, StoreFailure | NewerTables, R>
): Effect.Effect<A, GatewayError, R> =>
  Effect.mapError(effect, (failure) => refusals.database(failure._tag === "StoreFailure" ? failure.cause : failure))

/** How many blocks can be reverted. The chain never reverts any; a node that is wrong may. */
export const maxReverted = 128

/** How this process is called in the rows of the lease and of pieces. */
const nameOfProcess = (): string => `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`

/** Asks for a fact until it is so; then no more. */
const onceTrue = (ask: Effect.Effect<boolean, StoreFailure>): Effect.Effect<boolean> => {
  let isTrue = false
  return Effect.suspend(() =>
    isTrue ? Effect.succeed(true) : Effect.map(
      // A database that does not answer shows no more than before.
      Effect.orElseSucceed(ask, () => false),
      (found) => isTrue = found
    )
  )
}

/** Opens the index, however long the database fails: a process that gave up here would never follow again. */
const untilOpen = <A, E extends { readonly message: string }, R>(open: Effect.Effect<A, E, R>) =>
  Effect.eventually(
    Effect.tapError(open, ({ message }) =>
      Effect.delay(DatabaseLog.waiting(`the index can't be opened to follow: ${message}`), "1 second"))
  )

const openIndex = (
  { onLease, onRefused, schema, watching, writing }: Place,
  facts: PostgresIndex.IndexFacts,
  scope: PostgresIndex.Options["scope"],
  isTraced: boolean
): Effect.Effect<OpenIndex, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const on = (client: SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(effect, SqlClient, client)
    const watched = yield* on(watching)(PostgresIndex.watch(schema))
    let isOutdated = false
    /** Whether this program knows the tables: if not, one that does has to follow. */
    const mayWrite = on(watching)(PostgresIndex.check(schema)).pipe(
      Effect.as(true),
      Effect.catchTags({
        StoreFailure: () => Effect.succeed(true),
        NewerTables: ({ message }) => {
          const why = `this process stores no more blocks: ${message}`
          const told = isOutdated ? Effect.void : Effect.logError(why)
          isOutdated = true
          return Effect.as(Effect.zipRight(told, onRefused(why)), false)
        }
      })
    )
    const store = yield* Effect.mapError(
      PostgresIndex.open({ schema, scope }),
      (failure) =>
        failure._tag === "ScopeMismatch"
          ? refusals.start(failure.message)
          : refusals.database(failure._tag === "StoreFailure" ? failure.cause : failure)
    )
    const cursors = yield* refused(facts.keep("cursors", randomBytes(32).toString("hex")))
    const process = nameOfProcess()
    return {
      store,
      watched,
      transactionsPaidBy: store.transactionsPaidBy,
      isTraced,
      facts,
      cursorKey: Buffer.from(cursors, "hex"),
      isComplete: onceTrue(Effect.map(watched.fact("complete"), Option.isSome)),
      setComplete: Effect.asVoid(facts.keep("complete", "yes")),
      leading: (mayLead, use) =>
        Lease.hold({
          lease: watching,
          writing,
          schema,
          holder: process,
          onChange: onLease,
          onRefused,
          mayLead: Effect.if(mayLead, { onTrue: () => mayWrite, onFalse: () => Effect.succeed(false) })
        }, (lease) =>
          // A new view of the index each time: another process may have changed what this one remembers.
          Effect.flatMap(untilOpen(on(writing)(PostgresIndex.open({ schema, guard: lease.guard }))), (index) =>
            use({
              store: index,
              fold: (source) =>
                on(writing)(Effect.zipRight(
                  PostgresBackfill.fold(index, source, lease, { schema }),
                  PostgresIndex.closeGap(index, { schema, depth: maxReverted })
                ))
            }))),
      load: (source, onBlocks) =>
        Effect.if(mayWrite, {
          onTrue: () => on(writing)(PostgresBackfill.work(store, source, { schema, worker: process, onBlocks })),
          onFalse: () => Effect.succeed(0)
        }),
      backfill: on(watching)(PostgresBackfill.progress({ schema })).pipe(
        Effect.map(Option.getOrUndefined),
        Effect.orElseSucceed(() => undefined)
      )
    }
  })

/** Opens or creates the schema. */
export const open = (place: Place): Effect.Effect<IndexHome, GatewayError, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const facts = yield* refused(PostgresIndex.facts(place.schema))
    const fact = (name: string) => refused(Effect.map(facts.get(name), Option.getOrUndefined))
    const chain = chainOf(yield* fact("chain"))
    const traced = yield* fact("traced")
    const held = traced === undefined ? undefined : traced === "yes"
    const scope = chain === undefined
      ? undefined
      : (yield* Effect.mapError(
        PostgresIndex.open({ schema: place.schema }),
        (failure) => refusals.database(failure._tag === "StoreFailure" ? failure.cause : failure)
      )).reader.scope
    return {
      chain,
      scope,
      isTraced: held,
      open: (wanted, scope, isTraced) =>
        Effect.gen(function*() {
          // Of processes that start together on a new index, the first one decides.
          const kept = yield* refused(facts.keep("traced", isTraced ? "yes" : "no"))
          if ((kept === "yes") !== isTraced) return yield* refusals.otherTrace(kept === "yes")
          const index = yield* openIndex(place, facts, scope, isTraced)
          if ((yield* refused(facts.keep("chain", `${wanted}`))) !== `${wanted}`) {
            return yield* refusals.chain(`the index has another chain than ${wanted}`)
          }
          return index
        }).pipe(Effect.provideService(SqlClient, sql)),
      callers: Effect.provideService(
        CallerTable.known(place.schema, place.walletSchema),
        SqlClient,
        place.watching
      )
    }
  })
