/** The parent of the drill of the first load. */
import { indexTables } from "@effect-klaytn/indexer/IndexTables"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { secondsOf, serverSeconds } from "../../packages/indexer/bench/serverSeconds.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import type { BackfillJob, BackfillNodeJob } from "./backfillProgram.js"
import { pause } from "./processes.js"

/** Statements that the drill makes; fails if there is no such table. */
export type Query = (text: string) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>

export interface Options {
  readonly url: string
  readonly query: Query
  /** The files of the bundled programs. */
  readonly programs: { readonly node: string; readonly load: string }
  readonly blocks: number
  readonly workers: ReadonlyArray<number>
  readonly seed: number
  /** Milliseconds between kills. */
  readonly killEvery: number
  /** Is told how far the drill is. */
  readonly say: (line: string) => void
}

/** What one load took. */
export interface BackfillRun {
  readonly workers: number
  /** Undefined: nothing was to be killed. */
  readonly kills: number | undefined
  readonly isEnded: boolean
  readonly seconds: number
  readonly cpuSeconds: { readonly processes: number; readonly server: number; readonly node: number }
  /** Of the processes and the server. */
  readonly perCpuSecond: number
}

const sayEvery = 5000

/** A run in which nothing is loaded or folded for so long has stopped. */
const patience = 120_000

const spawned = (script: string, job: BackfillJob | BackfillNodeJob): ChildProcess =>
  spawn(process.execPath, ["--enable-source-maps", script], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, DRILL_JOB: JSON.stringify(job) }
  })

/** What processes say: the node its port, a worker that it begins, and what it has used at its end. */
interface Line {
  readonly port?: number
  readonly begins?: true
  readonly seconds?: number
}

/** Passes each line of JSON on; a line that a kill has cut, and what is logged, is none. */
const onLines = (child: ChildProcess, take: (line: Line) => void) => {
  if (child.stdout === null) return
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{") && line.endsWith("}")) take(JSON.parse(line))
  })
}

/** A process that loads or folds, and the CPU seconds that it has used at its end. */
const loading = (script: string, job: BackfillJob) => {
  const child = spawned(script, job)
  let [used, isWorking] = [0, false]
  onLines(child, ({ begins = false, seconds = 0 }) => {
    isWorking = begins
    used = seconds
  })
  return {
    /** Whether it has begun to load: on a busy machine, a process may not even start in 5 seconds. */
    isWorking: () => isWorking,
    seconds: new Promise<number>((resolve) => child.once("close", () => resolve(used))),
    kill: () => {
      // It can't say any more what it has used.
      used = secondsOf(child.pid)
      child.kill("SIGKILL")
    }
  }
}

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

/** The blocks that are loaded and folded, and of how many; none if there is no plan, or no more. */
const progress = async (query: Query, schema: string): Promise<ReadonlyArray<number> | undefined> => {
  const [row = []] = await query(
    `SELECT sum(next_block - first_block), coalesce((SELECT value::bigint + 1 FROM ${schema}.facts WHERE name = 'folded'), 0),
       sum(last_block - first_block + 1) FROM ${schema}.pieces`
  ).catch(() => [])
  return row[0] === undefined || row[0] === null ? undefined : row.map(Number)
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10

export const backfillRuns = async (
  { blocks, killEvery, programs, query, say, seed, url, workers: counts }: Options
) => {
  const pieceSize = Math.max(250, Math.min(2000, Math.floor(blocks / 12)))
  const random = new Random(String(seed))
  say(`the node makes ${blocks} blocks`)
  const node = spawned(programs.node, { blocks, seed })
  const port = await new Promise<number>((resolve) => onLines(node, ({ port }) => port === undefined || resolve(port)))

  /** One load, by so many workers. */
  const run = async (workers: number, isKilled: boolean) => {
    const schema = `load_${workers}${isKilled ? "_killed" : ""}`
    const job = { url, schema, node: `http://127.0.0.1:${port}`, pieceSize }
    const used = { server: serverSeconds("postgres"), node: secondsOf(node.pid) }
    const began = performance.now()
    const leader = loading(programs.load, job)
    let isOver = false
    void leader.seconds.then(() => {
      isOver = true
    })
    // Workers end at once if there is no plan yet.
    while (!isOver && (await progress(query, schema)) === undefined) await pause(100)
    const start = (number: number) => loading(programs.load, { ...job, worker: `worker ${number}` })
    const running = Array.from({ length: workers }, (_, number) => start(number))
    const all = [leader, ...running]
    let [kills, done, advanced] = [0, 0, performance.now()]
    let [nextKill, nextSaying] = [performance.now() + killEvery, began]
    while (!isOver && performance.now() < advanced + patience) {
      if (performance.now() >= nextSaying) {
        nextSaying = performance.now() + sayEvery
        const [loaded = 0, folded = 0, of = 0] = (await progress(query, schema)) ?? []
        // At the end there is no plan any more, and indexes are built.
        if (loaded + folded !== done) [done, advanced] = [loaded + folded, performance.now()]
        const time = `${Math.round((performance.now() - began) / 1000)} s`
        if (of > 0) say(`${schema}: ${time}, ${loaded} blocks of ${of} are loaded, ${folded} folded, ${kills} kills`)
      }
      const victim = isKilled && performance.now() >= nextKill && random.pick(running.filter((one) => one.isWorking()))
      if (victim) {
        nextKill = Math.max(nextKill + killEvery, performance.now())
        const place = running.indexOf(victim)
        victim.kill()
        kills++
        const next = start(place)
        running[place] = next
        all.push(next)
      }
      await Promise.race([pause(100), leader.seconds])
    }
    const isEnded = isOver
    if (!isEnded) { for (const one of all) one.kill() }
    const seconds = (await Promise.all(all.map((one) => one.seconds))).reduce((sum, one) => sum + one, 0)
    const wall = (performance.now() - began) / 1000
    const server = serverSeconds("postgres") - used.server
    const shown: BackfillRun = {
      workers,
      kills: isKilled ? kills : undefined,
      isEnded,
      seconds: round(wall),
      cpuSeconds: { processes: round(seconds), server: round(server), node: round(secondsOf(node.pid) - used.node) },
      perCpuSecond: Math.round(blocks / (seconds + server))
    }
    return { shown, tables: await hashes(query, schema) }
  }

  const found: Array<Awaited<ReturnType<typeof run>>> = []
  for (const workers of counts) found.push(await run(workers, false))
  found.push(await run(2, true))
  node.kill()
  const different = found.flatMap(({ tables }, at) =>
    tables.filter((table, place) => table !== found[0]?.tables[place]).map((table) => `run ${at}: ${table}`)
  )
  return { blocks, pieceSize, runs: found.map(({ shown }) => shown), different, tables: found[0]?.tables }
}
