/**
 * The first sync of an index: blocks of a sandbox with every type of transaction, tokens of all kinds and failures, every second one
 * empty, served from memory by a process of its own. In turns: the floor, which fetches the same blocks and receipts in batches
 * and parses them, SQLite, and Postgres, each in a process of its own. A figure as JSON on each line:
 *
 *     npx -y pnpm@10.34.9 bench sync [--blocks=4000] [--runs=3] [--floor] [--keep=FOLDER] [--profile=FOLDER]
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { temporary } from "../../../../drills/engine/postgres.js"
import { bundleProgram } from "../../../../scripts/bundleProgram.js"
import type { NodeJob } from "./node.js"
import type { SideJob, SideTaken } from "./side.js"

const { values } = parseArgs({
  options: {
    blocks: { type: "string", default: "4000" },
    runs: { type: "string", default: "3" },
    seed: { type: "string", default: "sync" },
    floor: { type: "boolean", default: false },
    sides: { type: "string", default: "sqlite,postgres" },
    keep: { type: "string" },
    profile: { type: "string" }
  }
})

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const messageOf = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the bench ended with ${code}`))
    child.once("exit", ended).once("message", (message) => {
      child.off("exit", ended)
      // Sent by the node or a side of this bench.
      resolve(message as A)
    })
  })

const start = (script: string, job: NodeJob | SideJob, execArgv: ReadonlyArray<string> = []): ChildProcess =>
  fork(script, {
    env: { ...process.env, BENCH_JOB: JSON.stringify(job), NODE_NO_WARNINGS: "1" },
    execArgv: [...execArgv]
  })

const folder = values.keep ?? mkdtempSync(join(tmpdir(), "bench-sync-"))
mkdirSync(folder, { recursive: true })
const bundled = (program: string): Promise<string> =>
  bundleProgram(new URL(program, import.meta.url), { owner: new URL("../../", import.meta.url) })
const script = await bundled("side.ts")
const node = start(await bundled("node.ts"), {
  blocks: Number(values.blocks),
  seed: values.seed
})
const { height, port } = await messageOf<{ readonly height: number; readonly port: number }>(node)

type Counts = Readonly<Record<string, number>>
const counts = (): Promise<Counts> => {
  node.send({})
  return messageOf<Counts>(node)
}

interface Turn extends SideTaken {
  readonly calls: Counts
}

const run = async (side: SideJob["side"], database: string): Promise<Turn> => {
  await counts()
  const execArgv = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${join(values.profile, side)}`]
  const child = start(script, { side, url: `http://127.0.0.1:${port}`, height, database }, execArgv)
  const taken = await messageOf<SideTaken>(child)
  if (child.exitCode === null) await once(child, "exit")
  return { ...taken, calls: await counts() }
}

const onPostgres = (): Promise<Turn> =>
  Effect.runPromise(Effect.scoped(
    Effect.flatMap(temporary, (url) => Effect.promise(() => run("postgres", Redacted.value(url))))
  ))

const turns: Record<SideJob["side"], Array<Turn>> = { floor: [], sqlite: [], postgres: [] }
const wanted = values.floor ? [] : values.sides.split(",")
for (let turn = 0; turn <= Number(values.runs); turn++) {
  turns.floor.push(await run("floor", ""))
  if (wanted.includes("sqlite")) turns.sqlite.push(await run("sqlite", join(folder, `${turn}.db`)))
  if (wanted.includes("postgres")) turns.postgres.push(await onPostgres())
  // The first turn makes the sandbox answer calls of contracts, which the node remembers.
  if (turn === 0) { for (const all of Object.values(turns)) all.length = 0 }
}
node.disconnect()

const print = (figure: object): void => void process.stdout.write(`${JSON.stringify(figure)}\n`)
const of = (side: SideJob["side"], field: "cpu" | "seconds" | "memory"): number =>
  median(turns[side].map((one) => one[field]))
for (const side of ["floor", "sqlite", "postgres"] as const) {
  const last = turns[side].at(-1)
  if (last === undefined) continue
  const { calls: { requests = 0, ...calls }, transactions, transfers } = last
  print({
    figure: side === "floor" ? "blocks and receipts fetched and parsed" : "a first sync",
    side,
    blocks: height + 1,
    transactions,
    transfers,
    runs: turns[side].length,
    cpuSeconds: rounded(of(side, "cpu")),
    seconds: rounded(of(side, "seconds")),
    perSecond: Math.round((height + 1) / of(side, "seconds")),
    memory: Math.round(of(side, "memory")),
    ...(side !== "floor" && {
      cpuRatio: rounded(of(side, "cpu") / of("floor", "cpu")),
      timeRatio: rounded(of(side, "seconds") / of("floor", "seconds")),
      contractCallsPerThousandTransfers: Math.round(
        ((calls["kaia_call"] ?? 0) + (calls["eth_call"] ?? 0) + (calls["kaia_getCode"] ?? 0)) / transfers * 1000
      )
    }),
    requests,
    calls
  })
}
if (values.keep === undefined) rmSync(folder, { recursive: true })
