/**
 * The drill of kills: a child opens a SQLite store that an older version has made, migrates it, writes, copies it, stops, and opens it again;
 * the parent kills it with SIGKILL at a random moment of one of these phases, for each kind of store. Then the next child goes on with the
 * same file. After each kill, what was acknowledged has to be there, and the file alone, without its `-wal`, has to be whole or
 * refused. Every copy that was complete has to be whole. Prints one line of JSON, and exits with 1 if anything is wrong.
 *
 *     npx tsx drills/database/kills.ts [--points 50] [--kinds payouts,wallet] [--seed text] [--verbose]
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import * as indexes from "../../packages/gateway/scripts/stores.js"
import * as wallets from "../../packages/gateway/scripts/wallets.js"
import * as payouts from "../../packages/payouts/scripts/stores.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { openLibsql } from "../../packages/store/src/Driver.js"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import { type KindName, kinds } from "./storeKinds.js"

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "50" },
    kinds: { type: "string" },
    seed: { type: "string", default: String(Date.now()) },
    verbose: { type: "boolean", default: false }
  }
})

const packages = join(import.meta.dirname, "../../packages")

/** The stores of older versions with which the kinds begin; others begin with none. */
const olds: Partial<Record<KindName, (file: string) => void>> = {
  payouts: (file) => {
    payouts.unpack("73b558d3", dirname(file))
    copyFileSync(payouts.fileOf(dirname(file)), file)
  },
  wallet: (file) => {
    const { database } = wallets.unpack("files", "953ea670", dirname(file))
    for (const suffix of ["", "-wal"]) copyFileSync(`${database}.wallet${suffix}`, `${file}${suffix}`)
  },
  exported: (file) => copyFileSync(join(packages, "exports/test/stores/73b558d3/sqlite-half.sqlite"), file),
  index: (file) => {
    const { index } = indexes.unpack("73b558d3", dirname(file))
    for (const suffix of ["", "-wal"]) copyFileSync(`${index}${suffix}`, `${file}${suffix}`)
  },
  callers: (file) => {
    const driver = openLibsql(file)
    driver.exec(readFileSync(join(packages, "gateway/test/tables/callers.1.sql"), "utf8"))
    driver.close()
  }
}

type Line = {
  readonly phase?: string
  readonly acked?: number
  readonly opened?: number
  readonly count?: number
  readonly copy?: string
  readonly upTo?: number
}

interface Place {
  readonly kind: KindName
  readonly file: string
  readonly copies: string
  acked: number
  readonly whole: Array<{ readonly copy: string; readonly upTo: number }>
}

const phases = ["opening", "writing", "copying", "stopping", "stopped"] as const
type Phase = (typeof phases)[number]

const counts = {
  killed: 0,
  lost: 0,
  twice: 0,
  unreadable: 0,
  halfCopies: 0,
  unmarked: 0,
  refusedAlone: 0,
  wholeAlone: 0
}
const killedIn: Record<Phase, number> = { opening: 0, writing: 0, copying: 0, stopping: 0, stopped: 0 }

const say = (line: object): void => {
  if (values.verbose) process.stdout.write(`${JSON.stringify(line)}\n`)
}

const wrong = (place: Place, what: string): void => void process.stderr.write(`${place.kind}: ${what}\n`)

/** Reads a line of the child. */
const read = (place: Place, line: Line): void => {
  if (line.opened !== undefined) {
    if (line.opened < place.acked) {
      counts.lost += place.acked - line.opened
      wrong(place, `${line.opened} is the last of ${place.acked} that were acknowledged`)
    }
    if (line.count !== line.opened) {
      counts.twice++
      wrong(place, `has ${line.count} of ${line.opened}`)
    }
    place.acked = Math.max(place.acked, line.opened)
  }
  if (line.acked !== undefined) place.acked = line.acked
  if (line.copy !== undefined && line.upTo !== undefined) place.whole.push({ copy: line.copy, upTo: line.upTo })
}

/** Runs a child until it is killed: so many milliseconds after it has begun a phase for so many times. */
const runChild = (
  script: string,
  place: Place,
  at: { readonly phase: Phase; readonly time: number; readonly after: number }
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, place.kind, place.file, place.copies], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let errors = ""
    let rest = ""
    let times = 0
    child.stderr.on("data", (chunk: Buffer) => errors += chunk.toString())
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const text of lines) {
        if (!text.startsWith("{")) continue
        // Written by the child.
        const line = JSON.parse(text) as Line
        read(place, line)
        if (line.phase === at.phase && ++times === at.time) setTimeout(() => child.kill("SIGKILL"), at.after)
      }
    })
    child.on("error", reject)
    child.on("close", (_, signal) => {
      if (signal === "SIGKILL") {
        counts.killed++
        killedIn[at.phase]++
        return resolve()
      }
      counts.unreadable++
      wrong(place, `the child ended by itself: ${errors.slice(0, 800)}`)
      resolve()
    })
  })

/** The numbers in a file, opened as its kind opens it; the words of the refusal if it does. */
const look = (kind: KindName, file: string): Promise<ReadonlyArray<number> | string> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(kinds[kind](file), ({ numbers }) => numbers)).pipe(
      Effect.catchAllCause((cause) => Effect.succeed(String(cause)))
    )
  )

const isIntact = (file: string): boolean => {
  const driver = openLibsql(file)
  try {
    return driver.prepare("PRAGMA integrity_check").first()?.[0] === "ok"
  } finally {
    driver.close()
  }
}

/** Whether a copy has all up to a number, and is intact. */
const isWhole = async (kind: KindName, copy: string, upTo: number): Promise<boolean> => {
  const found = await look(kind, copy)
  return typeof found !== "string" && Math.max(0, ...found) >= upTo && isIntact(copy)
}

/** Looks at the file alone, as a copy of it without its `-wal` is. */
const lookAlone = async (place: Place, looked: string): Promise<void> => {
  const alone = join(looked, "alone.db")
  copyFileSync(place.file, alone)
  const found = await look(place.kind, alone)
  if (typeof found === "string") {
    if (found.includes("FILE-wal is not beside it")) counts.refusedAlone++
    else {
      counts.unmarked++
      wrong(place, `the file alone: ${found.slice(0, 500)}`)
    }
  } else if (Math.max(0, ...found) >= place.acked) counts.wholeAlone++
  else {
    counts.unmarked++
    wrong(place, `the file alone has ${Math.max(0, ...found)} of ${place.acked}, and is not refused`)
  }
}

const inspect = async (place: Place, folder: string): Promise<void> => {
  const looked = mkdtempSync(join(folder, "look-"))
  if (existsSync(place.file)) await lookAlone(place, looked)
  for (const { copy, upTo } of place.whole.splice(0)) {
    if (!await isWhole(place.kind, copy, upTo)) {
      counts.halfCopies++
      wrong(place, `the copy ${copy} lacks some of ${upTo}`)
    }
  }
  for (const name of readdirSync(place.copies)) rmSync(join(place.copies, name))
  rmSync(looked, { recursive: true })
}

const names = (values.kinds?.split(",") ?? Object.keys(kinds)).filter((name): name is KindName => name in kinds)
const folder = mkdtempSync(join(tmpdir(), "kills-"))
const random = new Random(values.seed)
const begin = performance.now()
const script = await bundleProgram(new URL("./storeWriter.ts", import.meta.url))
const places = names.map((kind): Place => {
  const file = join(folder, kind, "store.db")
  const copies = join(folder, kind, "copies")
  mkdirSync(copies, { recursive: true })
  olds[kind]?.(file)
  return { kind, file, copies, acked: 0, whole: [] }
})
for (let point = 0; point < Number(values.points); point++) {
  const place = places[point % places.length]
  if (place === undefined) break
  // The first one of a kind dies while it migrates.
  const isFirst = point < places.length
  const isLocked = place.kind === "index" || place.kind === "callers" || place.kind === "sandbox"
  const all = isLocked ? phases.filter((phase) => phase !== "copying") : phases
  const phase = isFirst ? "opening" : all[random.between(0, all.length - 1)] ?? "writing"
  const after = random.between(0, phase === "writing" || isFirst ? 150 : 25)
  const at = { phase, time: isFirst ? 1 : random.between(1, 2), after }
  await runChild(script, place, at)
  await inspect(place, folder)
  say({ point, kind: place.kind, ...at, acked: place.acked })
}
// What is left goes on, and has all.
for (const place of places) {
  const found = await look(place.kind, place.file)
  if (typeof found === "string" || Math.max(0, ...found) < place.acked || !isIntact(place.file)) {
    counts.unreadable++
    wrong(
      place,
      `at the end: ${typeof found === "string" ? found.slice(0, 500) : `${Math.max(0, ...found)} of ${place.acked}`}`
    )
  }
}
rmSync(folder, { recursive: true })
const { halfCopies, killed, lost, twice, unmarked, unreadable } = counts
process.stdout.write(`${
  JSON.stringify({
    drill: "kills",
    seed: values.seed,
    kinds: names,
    points: Number(values.points),
    ...counts,
    killedIn,
    written: places.reduce((sum, { acked }) => sum + acked, 0),
    seconds: Math.round((performance.now() - begin) / 1000)
  })
}\n`)
process.exit(lost + twice + unreadable + halfCopies + unmarked === 0 && killed === Number(values.points) ? 0 : 1)
