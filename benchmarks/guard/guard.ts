/**
 * `pnpm bench:guard [REV]` compares the CPU time of this checkout with that of another commit, prints a table, and fails if a
 * figure is slower. Without a commit: with the newest one of `main` that is an ancestor and at least a day old. `--runs=40`
 * for more runs; `--prove` shows how often the guard finds planted slowdowns and how often it fails without a change.
 */
import { parseArgs } from "node:util"
import { root, seconds } from "../../scripts/workspace.js"
import { serving } from "../serving.js"
import { prove } from "./prove.js"
import { checkOut, commitOf, dayOld, shown } from "./revision.js"
import { built, type Program, programs } from "./sides.js"
import { problemsOf, table } from "./table.js"
import { oneRound, type Pair, type Turn } from "./turns.js"

const since = performance.now()
const say = (text: string): void => void process.stdout.write(`${text}\n`)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const { positionals: [asked], values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "20" }, prove: { type: "boolean", default: false } }
})
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 6) throw new Error("--runs is a whole number, 6 or more")

const revision = asked ?? (values.prove ? "HEAD" : await dayOld())
if (revision === undefined) {
  say("main has no commit here that is an ancestor and at least a day old: nothing to compare with.")
  process.exit(0)
}
const commit = await commitOf(revision)
if (commit === undefined) throw new Error(`there is no commit ${revision}`)
say(`before: ${await shown(commit)}; after: this checkout`)

const [[server, ready], dir] = await Promise.all([serving(), checkOut(commit)])
server.removeAllListeners("exit")
process.once("exit", () => server.kill())

/** Bundles a program of both sides. None if the older sources lack what the program needs. */
const pairOf = async (program: Program): Promise<ReadonlyArray<Pair>> => {
  const after = await built(program, root, JSON.stringify(ready))
  try {
    return [{ program, after, before: await built(program, dir, JSON.stringify(ready)) }]
  } catch (error) {
    say(`can't be compared: ${program.figures.join(", ")}. The older commit can't be built with these: ${String(error)}`)
    return []
  }
}
const pairs: Array<Pair> = []
for (const program of programs) pairs.push(...await pairOf(program))

// The server and the files are filled in a run that does not count.
const first = await oneRound(pairs, 0)
const { broken, incomparable } = problemsOf(first)
for (const { figure, problem } of incomparable) say(`can't be compared: ${figure}. ${problem}`)
for (const { figure, problem } of broken) say(`FAILED: ${figure}. ${problem}`)
if (broken.length > 0) process.exit(1)
const isCompared = ({ figure }: Turn): boolean => !incomparable.some((one) => one.figure === figure)

say(`built and ready after ${seconds(since)}`)
if (values.prove) {
  await prove(pairs, runs)
  process.exit(0)
}
const turns: Array<Turn> = []
for (let round = 0; round < runs; round++) {
  turns.push(...(await oneRound(pairs, round, process.env["GUARD_PLANTED"])).filter(isCompared))
}
const { isSlower, text } = table(turns)
say(text)
say(`${runs} runs of each side in ${seconds(since)}`)
process.exit(isSlower ? 1 : 0)
