/** A process of the drill of the first load: it loads pieces, or leads. It ends when all pieces are loaded, and says what it used. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { source } from "../../packages/indexer/bench/following.js"
import { SyntheticNode } from "../../packages/indexer/bench/SyntheticNode.js"
import * as PostgresBackfill from "../../packages/indexer/src/PostgresBackfill.js"
import * as PostgresIndex from "../../packages/indexer/src/PostgresIndex.js"
import * as PostgresLease from "../../packages/indexer/src/PostgresLease.js"

/** What a process is started with. */
export interface BackfillJob {
  readonly url: string
  readonly schema: string
  readonly blocks: number
  readonly pieceSize: number
  /** The name of a worker; none for the process that folds. */
  readonly worker?: string | undefined
}

// Written by the parent.
const { blocks, pieceSize, schema, url, worker } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as BackfillJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const node = new SyntheticNode(blocks, 10)
const began = process.cpuUsage()

const lead = Effect.flip(PostgresLease.hold({ schema, holder: "leader" }, (lease) =>
  Effect.gen(function*() {
    const store = yield* PostgresIndex.open({ schema, guard: lease.guard })
    yield* PostgresBackfill.fold(store, yield* source(node), lease, { schema, pieceSize })
    return yield* Effect.fail("done" as const)
  })))

const work = (name: string) =>
  Effect.gen(function*() {
    const store = yield* PostgresIndex.open({ schema })
    yield* PostgresBackfill.work(store, yield* source(node), { schema, worker: name })
    const found = yield* PostgresBackfill.progress({ schema })
    // Another worker may have died with a piece.
    return Option.isNone(found) || found.value.piecesLoaded === found.value.pieces
  }).pipe(Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("500 millis") }))

const program = worker === undefined ? Effect.zipRight(PostgresIndex.open({ schema }), lead) : work(worker)

await Effect.provideServiceEffect(
  program as Effect.Effect<unknown, unknown, SqlClient>,
  SqlClient,
  PgClient.make({ url: Redacted.make(url), maxConnections: 6 })
).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
const { system, user } = process.cpuUsage(began)
process.stdout.write(`${JSON.stringify({ seconds: (system + user) / 1e6 - node.busy })}\n`)
process.exit(0)
