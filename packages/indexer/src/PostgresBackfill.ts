/**
 * The first load of an index in Postgres, by many processes at once.
 *
 * **Details**
 *
 * The blocks from the first one up to some hundred below the node's height are cut into pieces. Any number of workers take
 * pieces, one at a time each: a worker reads blocks, finds their transfers, and stores their rows together with a draft, as many as
 * it read in a second, and 250 blocks or about a thousand transactions at most, in a transaction that also moves the piece's place. A
 * draft is what of these blocks concerns contracts, tokens and owners, which depends on the blocks before and so has to wait. A worker
 * says every {@link pieceSeconds} / 4 that it still has its piece. So a piece whose worker died is continued by another one at exactly that
 * place, {@link pieceSeconds} later, and no block is stored twice; one that ends, or whose node fails, gives its piece back at once.
 *
 * The process that holds the index's lease folds the drafts in the order of the chain, while later pieces are still loaded:
 * {@link fold} makes contracts, tokens, owners and balances of them, by the same functions as a block that is followed, and asks
 * each new contract once what it is. So the tables are the same for any number of workers. Blocks that are not of the chain of its
 * node, because the node of a worker is on another branch, are not folded but loaded again. At the end the fold builds the
 * indexes beside the primary keys, which a load without them is faster for.
 */
import * as Input from "@effect-klaytn/core/Input"
import type { Lease } from "@effect-klaytn/store/Lease"
import * as Rows from "@effect-klaytn/store/Rows"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { keyOf } from "./BlockKey.js"
import * as ChangeSet from "./ChangeSet.js"
import { SourceMismatch, type StoreFailure } from "./IndexError.js"
import type { IndexStore } from "./IndexStore.js"
import { executedOf } from "./internal/executed.js"
import { branch, forgetBranch, lookForLost, ofChain } from "./internal/postgres/branches.js"
import { Database, io } from "./internal/postgres/Database.js"
import * as drafts from "./internal/postgres/drafts.js"
import * as tables from "./internal/postgres/tables.js"
import { Writes } from "./internal/postgres/Writes.js"
import { blocksAtOnce, prepareStretch, transactionsAtOnce } from "./internal/tokens/stretch.js"
import { type KeptBlock, keptBlock, type TokenBlock } from "./internal/tokens/tokenIndex.js"
import type * as Node from "./NodeSource.js"
import { defaultSchema, type PostgresIndex } from "./PostgresIndex.js"

/** How far below the node's height the load ends: the blocks above are followed, and may be reverted. */
const margin = 128

/** How long a worker reads blocks before it stores them, also fewer: one that dies often, or whose node is slow, still advances. */
const readNanos = 1_000_000_000n

/**
 * How long a piece stays with a worker that does not say that it still has the piece, in seconds.
 *
 * @category constants
 */
export const pieceSeconds = 10

/**
 * How far a load is.
 *
 * @category models
 */
export interface Progress {
  readonly pieces: number
  readonly piecesLoaded: number
  readonly blocks: number
  readonly blocksLoaded: number
  /** Blocks whose tokens and owners are in the index. */
  readonly blocksFolded: number
}

/**
 * Which index is loaded.
 *
 * @category models
 */
export interface Options {
  /** The schema of the index. Default: `klaytn_index`. */
  readonly schema?: string | undefined
  /** Blocks of a piece, 1 or more; anything else fails as `InvalidInput`. Default: 2,000. */
  readonly pieceSize?: number | undefined
}

/** Another worker has the piece now, or the database went back and lacks blocks of it. */
class PieceLost extends Data.TaggedError("PieceLost") {}

const readPieceSize = Input.decode("indexer.fold", Schema.Struct({ pieceSize: Schema.optional(Input.Count) }))

const databaseOf = ({ schema = defaultSchema }: Options) =>
  Effect.map(SqlClient, (sql) => new Database(sql.withoutTransforms(), schema))

/** Plans of a load that was not begun: none for an index that has blocks, and for a chain that is short. */
const plan = (
  database: Database,
  first: number,
  head: number,
  guard: Lease["guard"],
  { pieceSize = 2000 }: Options
): Effect.Effect<void, StoreFailure> =>
  io("plan")(database.sql.withTransaction(Effect.gen(function*() {
    yield* guard
    const [known] = yield* database.rows(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${database.table("blocks")}) OR EXISTS (SELECT 1 FROM ${
        database.table("pieces")
      })`
    )
    const last = head - margin
    if (known !== undefined || last - first < pieceSize) return
    yield* tables.dropIndexes(database)
    yield* database.rows(
      `INSERT INTO ${database.table("pieces")} (first_block, last_block, next_block, number, holder, until, is_folded)
       SELECT n, LEAST(n + ?3 - 1, ?2), n, 0, '', '-infinity', false
       FROM generate_series(?1::bigint, ?2::bigint, ?3::bigint) n`,
      [first, last, pieceSize]
    )
  })))

/**
 * How far the load of an index is; none if it is not being loaded.
 *
 * @category reading
 */
export const progress = (
  options: Options = {}
): Effect.Effect<Option.Option<Progress>, StoreFailure, SqlClient> =>
  Effect.flatMap(databaseOf(options), (database) =>
    Effect.map(
      io("progress")(database.rows(
        `SELECT count(*) AS pieces, count(*) FILTER (WHERE next_block > last_block) AS loaded,
           coalesce(sum(last_block - first_block + 1), 0) AS blocks,
           coalesce(sum(next_block - first_block), 0) AS blocks_loaded,
           coalesce((SELECT max(value::bigint) FROM ${database.table("facts")} WHERE name = 'folded')
             - min(first_block) + 1, 0) AS blocks_folded
         FROM ${database.table("pieces")}`
      )),
      ([row]) => {
        const pieces = Rows.number(row, "pieces")
        return pieces === 0 ? Option.none() : Option.some({
          pieces,
          piecesLoaded: Rows.number(row, "loaded"),
          blocks: Rows.number(row, "blocks"),
          blocksLoaded: Rows.number(row, "blocks_loaded"),
          blocksFolded: Rows.number(row, "blocks_folded")
        })
      }
    ))

interface Piece {
  readonly first: number
  readonly last: number
  readonly next: number
  readonly number: number
  readonly holder: string
}

/** How long after the time of a piece the session that still writes it is ended, in seconds: its process is frozen. */
const frozenSeconds = 20

/** Ends the sessions of workers that were frozen while they wrote a piece: their locks would keep it from the others. */
const endFrozen = (database: Database): Effect.Effect<unknown, SqlError> =>
  database.rows(
    `SELECT pg_terminate_backend(l.pid) AS told FROM ${database.table("pieces")} p
     JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = p.xmax
     WHERE p.next_block <= p.last_block AND p.until < clock_timestamp() - interval '${frozenSeconds} seconds'
       AND l.pid <> pg_backend_pid()`
  )

/** The statements about who has a piece. */
const piecesIn = (database: Database) => {
  const table = database.table("pieces")
  const until = `clock_timestamp() + interval '${pieceSeconds} seconds'`
  // A database that went back may give a number to another worker once more.
  const isMine = "first_block = ?1 AND number = ?2 AND holder = ?3"
  const change = (
    set: string,
    { first, holder, number }: Piece,
    where = "",
    ...values: ReadonlyArray<unknown>
  ): Effect.Effect<void, SqlError | PieceLost> =>
    Effect.flatMap(
      database.rows(`UPDATE ${table} SET ${set} WHERE ${isMine}${where} RETURNING 1`, [
        first,
        number,
        holder,
        ...values
      ]),
      (rows) => rows.length > 0 ? Effect.void : new PieceLost()
    )
  return {
    take: (worker: string): Effect.Effect<Piece | undefined, SqlError> =>
      Effect.map(
        Effect.zipRight(
          endFrozen(database),
          database.rows(
            `UPDATE ${table} SET holder = ?1, number = number + 1, until = ${until}
           WHERE first_block = (SELECT first_block FROM ${table}
             WHERE next_block <= last_block AND until < clock_timestamp() ORDER BY first_block LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING first_block, last_block, next_block, number`,
            [worker]
          )
        ),
        ([row]) =>
          row && {
            first: Rows.number(row, "first_block"),
            last: Rows.number(row, "last_block"),
            next: Rows.number(row, "next_block"),
            number: Rows.number(row, "number"),
            holder: worker
          }
      ),
    move: (piece: Piece, from: number, next: number) =>
      change(`next_block = ?5, until = ${until}`, piece, " AND next_block = ?4", from, next),
    renew: (piece: Piece) => change(`until = ${until}`, piece),
    giveBack: (piece: Piece) => change("until = '-infinity'", piece)
  }
}

/** Reads blocks in a row, one at least, and finds their transfers. */
const readBlocks = ({ reader: { scope } }: IndexStore, source: Node.NodeSource, from: number, last: number) =>
  Effect.gen(function*() {
    const found: Array<KeptBlock> = []
    const end = (yield* Clock.currentTimeNanos) + readNanos
    const to = Math.min(last, from + blocksAtOnce - 1)
    let transactions = 0
    for (let height = from; height <= to && transactions < transactionsAtOnce; height++) {
      if (found.length > 0 && (yield* Clock.currentTimeNanos) >= end) break
      const block = yield* source.block(height)
      if (block === undefined) {
        return yield* new SourceMismatch({ height, problem: "the node has no such block any more" })
      }
      const before = found.at(-1)
      if (before !== undefined && block.header.parentHash !== before.header.hash) {
        return yield* new SourceMismatch({ height, problem: "its parent is not the block before it" })
      }
      const executed = yield* executedOf(block)
      transactions += executed.length
      found.push(keptBlock(scope, { ...block.header, transactionCount: executed.length }, executed))
    }
    return found
  })

/** Fails if the node is on another branch than that of the process that folds, as far as that has found workers to be: what it gives would be loaded again. */
const onChain = (database: Database, source: Node.NodeSource) =>
  Effect.gen(function*() {
    const known = yield* io("piece")(branch(database))
    if (known === undefined) return
    const found = yield* source.headerHash(known.height)
    if (found === undefined || found === known.hash) return
    return yield* new SourceMismatch({
      height: known.height,
      problem:
        "the node of the process that folds the blocks has another one: look which of the two nodes is on the chain"
    })
  })

/**
 * Takes pieces and loads them until none is left that is free, and returns how many blocks this worker has loaded. Any
 * number of workers may run, in any number of processes; each needs a source of its own. A worker fails as `SourceMismatch`, and takes no
 * piece, once its node is known to be on another branch than that of the process that folds.
 *
 * @category operations
 */
export const work = (
  store: IndexStore,
  source: Node.NodeSource,
  { onBlocks = () => Effect.void, worker, ...options }: Options & {
    /** What this worker is called in the rows of its pieces. */
    readonly worker: string
    /** Is run after each transaction, with how many blocks and transfers it stored. */
    readonly onBlocks?: ((blocks: number, transfers: number) => Effect.Effect<void>) | undefined
  }
): Effect.Effect<number, StoreFailure | SourceMismatch | Node.Failure, SqlClient> =>
  Effect.gen(function*() {
    const database = yield* databaseOf(options)
    const writes = new Writes(database, store.reader.scope)
    const isScoped = store.reader.scope.accounts !== undefined
    let count = 0
    const pieces = piecesIn(database)
    const isKnown = tables.known(database)
    const load = (piece: Piece) =>
      Effect.gen(function*() {
        for (let from = piece.next; from <= piece.last;) {
          const blocks = yield* readBlocks(store, source, from, piece.last)
          const to = from + blocks.length - 1
          // Of a part of the chain, blocks without a kept transaction are not kept; the first and the last stay for now.
          const kept = blocks.filter(({ header: { number }, transactions }) =>
            !isScoped || transactions.length > 0 || number === to || number === store.reader.scope.firstBlock
          )
          const rows = ChangeSet.rowsOf(kept)
          const draft = [from, to, drafts.encode(blocks)]
          yield* io("piece")(database.sql.withTransaction(Effect.gen(function*() {
            yield* isKnown
            yield* pieces.move(piece, from, to + 1)
            yield* writes.insert(rows)
            yield* database.rows(
              `INSERT INTO ${database.table("drafts")} (first_block, last_block, blocks) VALUES (?1, ?2, ?3)`,
              draft
            )
          })))
          count += blocks.length
          from = to + 1
          yield* onBlocks(blocks.length, rows.blocks.reduce((sum, { transferCount }) => sum + transferCount, 0))
        }
      })
    /** Keeps a piece as long as this process runs, however long its node takes. A renewal that fails is tried again. */
    const keep = (piece: Piece) =>
      Effect.catchTag(io("piece")(pieces.renew(piece)), "StoreFailure", ({ message }) =>
        Effect.logWarning(`the piece from block ${piece.first} on can't be renewed: ${message}`)).pipe(
          Effect.delay(Duration.seconds(pieceSeconds / 4)),
          Effect.forever
        )
    const giveBack = (piece: Piece) =>
      Effect.ignore(Effect.timeout(io("piece")(pieces.giveBack(piece)), "2 seconds"))
    for (;;) {
      yield* onChain(database, source)
      const piece = yield* io("piece")(Effect.zipRight(isKnown, pieces.take(worker)))
      if (piece === undefined) {
        return count
      }
      yield* Effect.raceFirst(load(piece), keep(piece)).pipe(
        Effect.onExit((exit) =>
          Exit.isSuccess(exit) ? Effect.void : giveBack(piece)
        ),
        Effect.catchTag("PieceLost", () =>
          Effect.logWarning(`the blocks from ${piece.first} on are loaded by another process, or again`))
      )
    }
  })

/** Of how much JSON, once it is that much, blocks are folded at once: a row that many of them change is written once. */
const bytesAtOnce = 4 * 2 ** 20

/** How long the fold waits for more drafts, unless there are as many as it folds at once. */
const foldPause = Duration.seconds(2)

/** The blocks of drafts in a row, from a block on. */
const draftsFrom = (database: Database, block: number) => {
  const table = database.table("drafts")
  return Effect.map(
    database.rows(
      `WITH RECURSIVE found AS (
         SELECT first_block, last_block, octet_length(blocks) AS size FROM ${table} WHERE first_block =
           (SELECT max(first_block) FROM ${table} WHERE first_block <= ?1 AND last_block >= ?1)
         UNION ALL
         SELECT d.first_block, d.last_block, f.size + octet_length(d.blocks)
         FROM found f JOIN ${table} d ON d.first_block = f.last_block + 1 WHERE f.size < ?2)
       SELECT size, blocks FROM found JOIN ${table} USING (first_block) ORDER BY first_block`,
      [block, bytesAtOnce]
    ),
    (rows) => ({
      blocks: rows.flatMap((row) => drafts.decode(Rows.text(row, "blocks"))).filter(({ header }) =>
        header.number >= block
      ),
      isFull: (Rows.optional(Rows.number)(rows.at(-1), "size") ?? 0) >= bytesAtOnce
    })
  )
}

/** The same, up to the first block that is not of the chain of a node. */
const draftsOfChain = (database: Database, { guard }: Lease, source: Node.NodeSource, block: number) =>
  Effect.gen(function*() {
    const loaded = yield* draftsFrom(database, block)
    if (loaded.blocks.length === 0) yield* lookForLost(database, guard, block)
    const hashAt = (height: number) => Effect.map(source.block(height), (found) => found?.header.hash)
    const blocks = yield* ofChain(database, guard, loaded.blocks, hashAt)
    return { blocks, isFull: loaded.isFull && blocks.length === loaded.blocks.length }
  })

/** Prepares blocks. Workers may have stored later transfers than those of the blocks before, which a chain that is followed has not. */
const prepareAll = (store: IndexStore, source: Node.NodeSource, blocks: Arr.NonEmptyReadonlyArray<TokenBlock>) =>
  prepareStretch(
    store.facts,
    store.reader.scope,
    blocks.map((block) => ({ block, viewer: source.stateAt(block.header.number) })),
    keyOf(blocks[0].header.number, 0)
  )

/** Forgets a load that is over. Not by TRUNCATE, for which whoever reads the tables could let it wait. */
const forget = (database: Database, { guard }: Lease) =>
  database.sql.withTransaction(Effect.zipRight(
    guard,
    Effect.zipRight(
      forgetBranch(database),
      Effect.forEach(["drafts", "pieces"], (table) => database.rows(`DELETE FROM ${database.table(table)}`))
    )
  ))

/**
 * Plans the load of an index that has no block yet, folds what workers load, builds the indexes, and returns when all is in
 * the index; at once for an index that is not loaded so, such as that of a short chain. Only the holder of the lease runs it.
 *
 * @category operations
 */
export const fold = (
  store: PostgresIndex,
  source: Node.NodeSource,
  lease: Lease,
  options: Options = {}
): Effect.Effect<void, StoreFailure | SourceMismatch | Node.Failure, SqlClient> =>
  Effect.gen(function*() {
    yield* readPieceSize({ pieceSize: options.pieceSize })
    const database = yield* databaseOf(options)
    const { firstBlock } = store.reader.scope
    yield* plan(database, firstBlock, yield* source.head, lease.guard, options)
    const facts = database.table("facts")
    const writes = new Writes(database, store.reader.scope)
    const fact = (name: string) =>
      io("fold")(Effect.map(
        database.rows(`SELECT value FROM ${facts} WHERE name = ?1`, [name]),
        ([row]) => Rows.optional(Rows.text)(row, "value")
      ))
    const put = (name: string, value: string) =>
      database.rows(
        `INSERT INTO ${facts} (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value]
      )
    const ends = yield* io("fold")(database.rows(`SELECT max(last_block) AS last FROM ${database.table("pieces")}`))
    const end = Rows.optional(Rows.number)(ends[0], "last")
    if (end === undefined) return
    /** Removes the drafts that are folded up to a block, and of a part of the chain the blocks that they kept for now. */
    const removeDrafts = (folded: number) =>
      Effect.gen(function*() {
        const removed = yield* database.rows(
          `DELETE FROM ${database.table("drafts")} WHERE first_block <= ?1 AND last_block <= ?1
           RETURNING first_block, last_block`,
          [folded]
        )
        for (const row of removed) {
          const from = Math.max(firstBlock, Rows.number(row, "first_block") - 2)
          yield* writes.removeEmpty(from, Rows.number(row, "last_block") - 1)
        }
      })
    /** Folds blocks in a row, and returns the last. */
    const foldBlocks = (blocks: Arr.NonEmptyReadonlyArray<TokenBlock>) =>
      Effect.gen(function*() {
        let before = yield* fact("foldedHash")
        for (const { header: { hash, number: height, parentHash } } of blocks) {
          if (before !== undefined && parentHash !== before) {
            return yield* new SourceMismatch({
              height,
              problem:
                "its parent is not the block before it, which is folded: drop the schema of the index, and load it anew"
            })
          }
          before = hash
        }
        const prepared = yield* prepareAll(store, source, blocks)
        const newest = Arr.lastNonEmpty(blocks).header
        const rows = yield* store.read(ChangeSet.keysOfAll(prepared))
        const changes = ChangeSet.ownershipOf(prepared.map((one) => ({ prepared: one, isFinal: true })), rows)
        yield* store.applyWith(
          { ...ChangeSet.rowsOf([]), ...changes },
          Effect.gen(function*() {
            yield* put("folded", String(newest.number))
            yield* put("foldedHash", newest.hash)
            yield* removeDrafts(newest.number)
          })
        )
        return newest.number
      })
    let folded = Number((yield* fact("folded")) ?? firstBlock - 1)
    let found: { readonly blocks: ReadonlyArray<TokenBlock>; readonly isFull: boolean } = { blocks: [], isFull: true }
    while (folded < end) {
      if (Arr.isNonEmptyReadonlyArray(found.blocks)) {
        folded = yield* foldBlocks(found.blocks)
        found = { ...found, blocks: found.blocks.filter(({ header }) => header.number > folded) }
      } else {
        if (!found.isFull) yield* Effect.sleep(foldPause)
        found = yield* io("fold")(draftsOfChain(database, lease, source, folded + 1))
      }
    }
    yield* Effect.logInfo("the blocks are loaded: the indexes are being built")
    yield* io("indexes")(tables.buildIndexes(database))
    yield* io("fold")(forget(database, lease))
  })
