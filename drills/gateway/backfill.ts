/**
 * The drill of the first load of an index in Postgres: the same blocks by 1, 2 and 4 workers, each a process, and by 2 of which one is
 * killed every 5 seconds. The tables must be equal, each by a hash of its rows. Prints one line of JSON with the CPU seconds of all
 * processes, without those of the made-up node, and of the server; exits with 1 if a table differs.
 *
 *     npx tsx drills/gateway/backfill.ts [--blocks 20000] [--workers 1,2,4]
 */
import { indexTables } from "@effect-klaytn/indexer/IndexTables"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { serverSeconds } from "../../packages/indexer/bench/serverSeconds.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { temporary } from "../engine/postgres.js"
import type { BackfillJob } from "./backfillProgram.js"
import { pause } from "./processes.js"

const { values } = parseArgs({
  options: { blocks: { type: "string", default: "20000" }, workers: { type: "string", default: "1,2,4" } }
})
const blocks = Number(values.blocks)
const pieceSize = Math.max(250, Math.min(2000, Math.floor(blocks / 12)))
const script = await bundleProgram(new URL("./backfillProgram.ts", import.meta.url))

/** A process, and the CPU seconds that it says at its end; none if it was killed. */
const started = (job: BackfillJob): { readonly child: ChildProcess; readonly seconds: Promise<number> } => {
  const child = spawn(process.execPath, ["--enable-source-maps", script], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, DRILL_JOB: JSON.stringify(job) }
  })
  let said = 0
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{\"seconds\"")) said = (JSON.parse(line) as { readonly seconds: number }).seconds
  })
  return { child, seconds: new Promise((resolve) => child.once("close", () => resolve(said))) }
}

type Query = (text: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>

/** A hash of the rows of each table. What reverts blocks depends on how many were written at once. */
const hashes = async (query: Query, schema: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { name } of indexTables.filter(({ name }) => name !== "ownership_undo")) {
    const [row = []] = await query(
      `SELECT count(*), md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) FROM ${schema}.${name} t`
    )
    found.push([name, ...row].join(" "))
  }
  return found
}

const run = async (url: string, query: Query, workers: number, everyMillis: number | undefined) => {
  const schema = `load_${workers}${everyMillis === undefined ? "" : "_killed"}`
  const job = { url, schema, blocks, pieceSize }
  const [began, server] = [performance.now(), serverSeconds("postgres")]
  const leader = started(job)
  // Workers end at once if there is no plan yet.
  const planned = `SELECT 1 FROM ${schema}.pieces LIMIT 1`
  while ((await query(planned).catch(() => [])).length === 0) await pause(100)
  const start = (number: number) => started({ ...job, worker: `worker ${number}` })
  const running = Array.from({ length: workers }, (_, number) => start(number))
  const ends = [leader.seconds, ...running.map(({ seconds }) => seconds)]
  let [kills, isOver] = [0, false]
  void leader.seconds.then(() => {
    isOver = true
  })
  while (everyMillis !== undefined && !isOver) {
    await pause(everyMillis)
    if (isOver) break
    const place = kills % workers
    running[place]?.child.kill("SIGKILL")
    kills++
    const next = start(place)
    running[place] = next
    ends.push(next.seconds)
  }
  const seconds = await Promise.all(ends)
  const wall = (performance.now() - began) / 1000
  return {
    tables: await hashes(query, schema),
    shown: {
      workers,
      ...(everyMillis !== undefined && { kills }),
      cpuSeconds: {
        processes: Math.round(seconds.reduce((sum, one) => sum + one, 0)),
        server: Math.round(serverSeconds("postgres") - server)
      },
      seconds: Math.round(wall)
    }
  }
}

const found = await Effect.runPromise(
  Effect.scoped(Effect.flatMap(temporary, (address) =>
    Effect.promise(async () => {
      const url = Redacted.value(address)
      const query: Query = (text) =>
        PgClient.make({ url: address, maxConnections: 1 }).pipe(
          Effect.flatMap((sql) => sql.unsafe(text).values),
          Effect.scoped,
          Effect.provide(Reactivity.layer),
          Effect.runPromise
        )
      const runs = []
      for (const workers of values.workers.split(",").map(Number)) runs.push(await run(url, query, workers, undefined))
      runs.push(await run(url, query, 2, 5000))
      return runs
    })))
)
const different = found.flatMap(({ tables }, at) =>
  tables.filter((table, place) => table !== found[0]?.tables[place]).map((table) => `run ${at}: ${table}`)
)
const isRight = different.length === 0
process.stdout.write(
  `${
    JSON.stringify({ drill: "backfill", isRight, blocks, pieceSize, runs: found.map(({ shown }) => shown), different })
  }\n`
)
process.exit(isRight ? 0 : 1)
