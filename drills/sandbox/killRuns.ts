/** The parent of the crash drill, for the command and for the test. */
import { slotsPerBlock } from "@effect-klaytn/indexer/BlockKey"
import { integer, text } from "@effect-klaytn/store/Column"
import { expression, select } from "@effect-klaytn/store/Query"
import { spawn } from "node:child_process"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { openStore } from "../../packages/sandbox/src/internal/store/Store.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"

/** What one run found. */
export interface KillRun {
  readonly run: number
  /** How long the child lived after its first block, or after its start if `early`, in milliseconds. */
  readonly livedFor: number
  readonly early: boolean
  /** The last block that it reported. */
  readonly acknowledged: number
  /** The newest block in the file after the kill. */
  readonly found: number
  readonly lost: number
  readonly partial: number
  readonly corrupt: number
}

/** Sums over all runs. */
export interface KillSummary {
  readonly runs: number
  readonly blocks: number
  readonly lost: number
  readonly partial: number
  readonly corrupt: number
}

/**
 * Runs a child until a random moment: after its first block, or while it still opens the file if `early`. Returns the last
 * block that it reported, if any.
 */
const runChild = (script: string, database: string, livedFor: number, early: boolean): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, database], { stdio: ["ignore", "pipe", "pipe"] })
    const kill = () => setTimeout(() => child.kill("SIGKILL"), livedFor)
    let output = ""
    let errors = ""
    if (early) kill()
    child.stderr.on("data", (chunk: Buffer) => errors += chunk.toString())
    child.stdout.on("data", (chunk: Buffer) => {
      if (output === "" && !early) kill()
      output += chunk.toString()
    })
    child.on("error", reject)
    child.on("close", (_, signal) => {
      // A line without its end doesn't count.
      const told = output.split("\n").slice(0, -1).at(-1)
      if (signal === "SIGKILL") resolve(told === undefined ? undefined : Number(told))
      else reject(new Error(`the writer ended by itself: ${errors}`))
    })
  })

/** Opens the database that is left and counts its faults. */
const inspect = (
  database: string,
  acknowledged: number
): Omit<KillRun, "run" | "livedFor" | "early" | "acknowledged"> => {
  const store = openStore(database)
  try {
    const count = (sql: string): number =>
      select(store.driver, { count: expression(`(${sql})`, integer) }, "").first()?.count ?? 0
    const check = { message: expression("integrity_check", text) }
    const checks = select(store.driver, check, "FROM pragma_integrity_check").all().map(({ message }) => message)
    const newest = store.chain(8217).index.rows.latestBlock()?.number ?? 0
    const block = (column: string) => `${column} / ${slotsPerBlock}`
    const partial = [
      // Blocks with a wrong number of rows, rows without a block, and gaps.
      `SELECT count(*) FROM blocks_8217 b WHERE b.transactions <>
         (SELECT count(*) FROM transactions_8217 x WHERE ${block("x.id")} = b.number)`,
      `SELECT count(*) FROM blocks_8217 b WHERE b.transfers <>
         (SELECT count(*) FROM transfers_8217 t WHERE ${block("t.id")} = b.number)`,
      `SELECT count(*) FROM transactions_8217 x WHERE x.logs <> (SELECT count(*) FROM logs_8217 l WHERE l.tx = x.id)`,
      `SELECT count(*) FROM transfers_8217 t WHERE ${block("t.id")} > ${newest}`,
      `SELECT count(*) FROM state_history_8217 WHERE block > ${newest}`,
      `SELECT count(*) FROM ownership_undo_8217 WHERE block > ${newest}`,
      `SELECT ${newest} + 1 - count(*) FROM blocks_8217`,
      `SELECT count(*) FROM blocks_8217 b JOIN blocks_8217 p ON p.number = b.number - 1 WHERE b.parent <> p.hash`
    ].map(count)
    return {
      found: newest,
      lost: Math.max(0, acknowledged - newest),
      partial: partial.reduce((sum, found) => sum + Math.abs(found), 0),
      corrupt: checks.length === 1 && checks[0] === "ok" ? 0 : 1
    }
  } finally {
    store.close()
  }
}

/** Kills the given number of children on one database. */
export const killRuns = async (options: {
  readonly database: string
  readonly runs: number
  readonly seed: string
  readonly onRun?: (run: KillRun) => void
}): Promise<KillSummary> => {
  const random = new Random(options.seed)
  const script = await bundleProgram(new URL("./killWriter.ts", import.meta.url))
  let summary: KillSummary = { runs: 0, blocks: 0, lost: 0, partial: 0, corrupt: 0 }
  let acknowledged = 0
  for (let run = 1; run <= options.runs; run++) {
    const early = random.fraction() < 0.2
    const livedFor = random.between(0, early ? 1_000 : 400)
    acknowledged = await runChild(script, options.database, livedFor, early) ?? acknowledged
    const found = inspect(options.database, acknowledged)
    options.onRun?.({ run, livedFor, early, acknowledged, ...found })
    summary = {
      runs: run,
      blocks: found.found,
      lost: summary.lost + found.lost,
      partial: summary.partial + found.partial,
      corrupt: summary.corrupt + found.corrupt
    }
  }
  return summary
}
