/**
 * `pnpm bench:guard [REV]` compares the CPU time of this checkout with that of another commit, prints a table, and fails if a
 * figure is slower. Without a commit: with the newest one of `main` that is an ancestor and at least a day old. `--rounds` is 6
 * by default: in each, a process of each side makes four runs of every figure. `--prove` shows how often the guard finds planted
 * slowdowns, and how often the guard fails without a change: the rounds are in `.reports`, and `--recorded FILE` judges them
 * again.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { root, seconds } from "../../scripts/workspace.js"
import { serving } from "../serving.js"
import { prove, roundsInCi } from "./prove.js"
import { checkOut, commitOf, dayOld, shown } from "./revision.js"
import { built, type Program, programs } from "./sides.js"
import { problemsOf, table } from "./table.js"
import { oneRound, type Pair, type Turn } from "./turns.js"

const since = performance.now()
const say = (text: string): void => void process.stdout.write(`${text}\n`)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const { positionals: [asked], values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: String(roundsInCi) },
    prove: { type: "boolean", default: false },
    recorded: { type: "string" }
  }
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 2) throw new Error("--rounds is a whole number, 2 or more")

/** A round on each line: a proof that is stopped can be judged. */
const record = join(root, ".reports", `guard-${process.pid}.jsonl`)
mkdirSync(join(root, ".reports"), { recursive: true })
if (values.recorded !== undefined) {
  const lines = readFileSync(values.recorded, "utf8").trim().split("\n")
  const { isFailed, text } = prove(lines.map((line): ReadonlyArray<Turn> => JSON.parse(line)))
  say(text)
  process.exit(isFailed ? 1 : 0)
}

const revision = asked ?? (values.prove ? "HEAD" : await dayOld())
if (revision === undefined) {
  say("main has no commit here that is an ancestor and at least a day old: nothing to compare with.")
  process.exit(0)
}
const commit = await commitOf(revision)
if (commit === undefined) throw new Error(`there is no commit ${revision}`)
say(`before: ${await shown(commit)}; after: this checkout`)

const starting = serving()
const dir = await checkOut(commit).catch((error: unknown) => {
  say(`no figure can be compared: the older commit can't be installed. ${String(error)}`)
  process.exit(0)
})
const [server, ready] = await starting
server.removeAllListeners("exit")
process.once("exit", () => server.kill())

/** Bundles a program of both sides. None if the older sources lack what the program needs. */
const pairOf = async (program: Program): Promise<ReadonlyArray<Pair>> => {
  const after = await built(program, root, JSON.stringify(ready))
  try {
    return [{ program, after, before: await built(program, dir, JSON.stringify(ready)) }]
  } catch (error) {
    say(
      `can't be compared: ${program.figures.join(", ")}. The older commit can't be built with these: ${String(error)}`
    )
    return []
  }
}
const pairs: Array<Pair> = []
for (const program of programs) pairs.push(...await pairOf(program))

/** Says which figures have no time. Ends this process if that is this checkout's fault. */
const withoutProblems = (turns: ReadonlyArray<Turn>): ReadonlyArray<Turn> => {
  const { broken, incomparable } = problemsOf(turns)
  for (const [figure, problem] of incomparable) say(`can't be compared: ${figure}. ${problem}`)
  for (const [figure, problem] of broken) say(`FAILED: ${figure}. ${problem}`)
  if (broken.size > 0) process.exit(1)
  return turns.filter(({ figure }) => !incomparable.has(figure))
}

// The first round does not count: the server and the database files are filled.
withoutProblems(await oneRound(pairs, 0))
say(`ready after ${seconds(since)}`)

/** Makes rounds of programs, and records them. */
const measured = async (of: ReadonlyArray<Pair>, from: number): Promise<ReadonlyArray<ReadonlyArray<Turn>>> => {
  const made: Array<ReadonlyArray<Turn>> = []
  for (let round = from; round < from + rounds; round++) {
    const turns = await oneRound(of, round, values.prove ? "all" : process.env["GUARD_PLANTED"])
    appendFileSync(record, `${JSON.stringify(turns)}\n`)
    made.push(turns)
  }
  return made
}

const made = await measured(pairs, 0)
const compared = withoutProblems(made.flat())
if (values.prove) {
  const { isFailed, text } = prove(made)
  say(text)
  process.exit(isFailed ? 1 : 0)
}
const first = table(compared)
say(first.text)
say(`${rounds} rounds of each side in ${seconds(since)}`)
if (first.slower.length === 0) process.exit(0)
// V8 compiles at other times in each process, and CI has other work: what seems slower is measured again, and the runs of all
// rounds are judged.
say(`${first.slower.join(", ")}: as many rounds again`)
const again = await measured(
  pairs.filter(({ program: { figures } }) => figures.some((figure) => first.slower.includes(figure))),
  rounds
)
const all = [...compared, ...withoutProblems(again.flat())].filter(({ figure }) => first.slower.includes(figure))
const { slower, text } = table(all)
say(text)
say(`${2 * rounds} rounds of each side in ${seconds(since)}`)
process.exit(slower.length > 0 ? 1 : 0)
