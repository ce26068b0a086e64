/** Blocks that workers have loaded from a node on another branch than the node of the process that folds them. */
import * as Rows from "@effect-klaytn/store/Rows"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { keyOf } from "../../BlockKey.js"
import type { TokenBlock } from "../tokens/tokenIndex.js"
import type { Database } from "./Database.js"

type Block = Pick<TokenBlock, "header">

/** The first of some blocks that is not of the chain; undefined if all are. Blocks of which the last one is, and each has the one before, all are. */
const firstForeign = <E>(
  blocks: ReadonlyArray<Block>,
  hashAt: (height: number) => Effect.Effect<string | undefined, E>
) =>
  Effect.gen(function*() {
    const isOfChain = ({ header: { hash, number } }: Block) => Effect.map(hashAt(number), (found) => found === hash)
    const last = blocks.at(-1)
    const areLinked = blocks.every(({ header }, place) =>
      place === 0 || header.parentHash === blocks[place - 1]?.header.hash
    )
    if (last === undefined || (areLinked && (yield* isOfChain(last)))) return undefined
    for (const block of blocks) if (!(yield* isOfChain(block))) return block.header.number
    return undefined
  })

/** Takes the rest of a piece back, from a block on, inside the caller's transaction: another worker loads it again. Gives who had loaded it. */
const takeBack = (database: Database, from: number): Effect.Effect<string | undefined, SqlError> =>
  Effect.gen(function*() {
    const [piece] = yield* database.rows(
      `UPDATE ${database.table("pieces")} SET next_block = ?1, number = number + 1, until = '-infinity'
       WHERE first_block <= ?1 AND last_block >= ?1 RETURNING last_block, holder`,
      [from]
    )
    if (piece === undefined) return undefined
    const last = Rows.number(piece, "last_block")
    for (const table of ["transfers", "logs", "transactions"]) {
      yield* database.rows(`DELETE FROM ${database.table(table)} WHERE id >= ?1 AND id < ?2`, [
        keyOf(from, 0),
        keyOf(last + 1, 0)
      ])
    }
    yield* database.rows(`DELETE FROM ${database.table("blocks")} WHERE number BETWEEN ?1 AND ?2`, [from, last])
    const drafts = database.table("drafts")
    yield* database.rows(`DELETE FROM ${drafts} WHERE first_block BETWEEN ?1 AND ?2`, [from, last])
    // Blocks before are folded, or will be.
    yield* database.rows(`UPDATE ${drafts} SET last_block = ?1 - 1 WHERE first_block < ?1 AND last_block >= ?1`, [from])
    return Rows.text(piece, "holder")
  })

/** The fact that names a block of the chain of which a worker had another one: `HEIGHT HASH`. */
const branchFact = "branch"

/** A block where the node of a worker was on another branch last, and its hash on the chain of the process that folds; none if none was. */
export const branch = (
  database: Database
): Effect.Effect<{ readonly height: number; readonly hash: string } | undefined, SqlError> =>
  Effect.map(
    database.rows(`SELECT value FROM ${database.table("facts")} WHERE name = ?1`, [branchFact]),
    ([row]) => {
      const [height, hash] = Rows.optional(Rows.text)(row, "value")?.split(" ") ?? []
      return height === undefined || hash === undefined ? undefined : { height: Number(height), hash }
    }
  )

/** Forgets {@link branch}. */
export const forgetBranch = (database: Database): Effect.Effect<unknown, SqlError> =>
  database.rows(`DELETE FROM ${database.table("facts")} WHERE name = ?1`, [branchFact])

/** The blocks that are of the chain, up to the first that is not; the rest of its piece is loaded again. */
export const ofChain = <A extends Block, E, G>(
  database: Database,
  guard: Effect.Effect<unknown, G>,
  blocks: ReadonlyArray<A>,
  hashAt: (height: number) => Effect.Effect<string | undefined, E>
): Effect.Effect<ReadonlyArray<A>, E | G | SqlError> =>
  Effect.gen(function*() {
    const from = yield* firstForeign(blocks, hashAt)
    if (from === undefined) return blocks
    const hash = yield* hashAt(from)
    const holder = yield* database.sql.withTransaction(Effect.zipRight(
      guard,
      Effect.zipLeft(
        takeBack(database, from),
        hash === undefined ? Effect.void : database.rows(
          `INSERT INTO ${
            database.table("facts")
          } (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [branchFact, `${from} ${hash}`]
        )
      )
    ))
    yield* Effect.logWarning(
      `the blocks from ${from} on are not of the chain of this process's node, and are loaded again: look at the node of the worker ${holder}`
    )
    return blocks.filter(({ header: { number } }) => number < from)
  })

/** Whether a block of a piece is stored, and none of what the fold needs of it: a failover has lost that. One statement sees one state. */
const isLost = (database: Database, block: number): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    database.rows(
      `SELECT 1 FROM ${database.table("pieces")} WHERE first_block <= ?1 AND last_block >= ?1 AND next_block > ?1
         AND NOT EXISTS (SELECT 1 FROM ${database.table("drafts")} WHERE first_block <= ?1 AND last_block >= ?1)`,
      [block]
    ),
    (rows) => rows.length > 0
  )

/** Has the rest of a piece loaded again from a block on, if the block is lost. */
export const lookForLost = <G>(
  database: Database,
  guard: Effect.Effect<unknown, G>,
  block: number
): Effect.Effect<void, G | SqlError> =>
  Effect.whenEffect(
    Effect.zipRight(
      Effect.logWarning(`the blocks from ${block} on are missing, and are loaded again`),
      database.sql.withTransaction(Effect.zipRight(guard, takeBack(database, block)))
    ),
    isLost(database, block)
  ).pipe(Effect.asVoid)

/** How many of the newest blocks are looked at. */
const blocksLookedAt = 10_000

/** The lowest of the newest blocks that lacks its parent, and the block below it that the index has; none if all of the newest blocks follow each other. */
export const gap = (
  database: Database
): Effect.Effect<{ readonly above: number; readonly below: number } | undefined, SqlError> => {
  const blocks = database.table("blocks")
  return Effect.map(
    database.rows(
      `SELECT number AS above, below FROM (
         SELECT number, lead(number) OVER (ORDER BY number DESC) AS below
         FROM (SELECT number FROM ${blocks} ORDER BY number DESC LIMIT ${blocksLookedAt}) newest
       ) b WHERE below <> number - 1 ORDER BY number LIMIT 1`
    ),
    ([row]) => row && { above: Rows.number(row, "above"), below: Rows.number(row, "below") }
  )
}
