/** A process of the drill of the first load: it loads pieces, or leads. It ends when all pieces are loaded, and says what it used. */
import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Lease from "@effect-klaytn/store/Lease"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as NodeSource from "../../packages/indexer/src/NodeSource.js"
import * as PostgresBackfill from "../../packages/indexer/src/PostgresBackfill.js"
import * as PostgresIndex from "../../packages/indexer/src/PostgresIndex.js"

/** What the node is started with. */
export interface BackfillNodeJob {
  readonly blocks: number
  readonly seed: number
}

/** What a process is started with. */
export interface BackfillJob {
  readonly url: string
  readonly schema: string
  /** The address of the node. */
  readonly node: string
  readonly pieceSize: number
  /** The name of a worker; none for the process that folds. */
  readonly worker?: string | undefined
}

// Written by the parent.
const { node, pieceSize, schema, url, worker } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as BackfillJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const source = Effect.flatMap(ServiceClient.make("node"), (client) => NodeSource.make(client))

const lead = Effect.flip(
  Effect.flatMap(
    SqlClient,
    (sql) =>
      Lease.hold({ lease: sql, writing: sql, schema, holder: "leader" }, (lease) =>
        Effect.gen(function*() {
          const store = yield* PostgresIndex.open({ schema, guard: lease.guard })
          yield* PostgresBackfill.fold(store, yield* source, lease, { schema, pieceSize })
          return yield* Effect.fail("done" as const)
        }))
  )
)

const work = (name: string) =>
  Effect.gen(function*() {
    const store = yield* PostgresIndex.open({ schema })
    const reading = yield* source
    process.stdout.write("{\"begins\":true}\n")
    yield* PostgresBackfill.work(store, reading, { schema, worker: name })
    const found = yield* PostgresBackfill.progress({ schema })
    // Another worker may have died with a piece.
    return Option.isNone(found) || found.value.piecesLoaded === found.value.pieces
  }).pipe(Effect.scoped, Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("500 millis") }))

const program = Effect.gen(function*() {
  if (worker !== undefined) return yield* work(worker)
  yield* PostgresIndex.open({ schema })
  return yield* lead
})

await Effect.provideServiceEffect(
  program,
  SqlClient,
  PgClient.make({ url: Redacted.make(url), maxConnections: 6 })
).pipe(
  Effect.scoped,
  Effect.provide(Layer.mergeAll(Reactivity.layer, OwnNode.layer({ chain: 1001, url: node }), FetchHttpClient.layer)),
  Effect.runPromise
)
const { system, user } = process.cpuUsage()
process.stdout.write(`${JSON.stringify({ seconds: (system + user) / 1e6 })}\n`)
process.exit(0)
