/** What `bench:guard` prints. */
import type { Turn } from "./turns.js"
import { judge, medianOf, type Verdict } from "./verdict.js"

/** Why figures have no time: those that the older commit can't do, or does differently, and those that this checkout can't do. */
export const problemsOf = (turns: ReadonlyArray<Turn>) => {
  const broken = new Map<string, string>()
  const incomparable = new Map<string, string>()
  for (const { after, before, figure } of turns) {
    if (after.problem !== undefined) broken.set(figure, after.problem)
    else if (before.problem !== undefined) incomparable.set(figure, `The older commit fails: ${before.problem}`)
    else if (after.done !== before.done) {
      incomparable.set(figure, `The older commit did ${before.done}, this one ${after.done}.`)
    }
  }
  return { broken, incomparable }
}

/** The median times of a figure, in milliseconds, and the verdict. */
interface Row extends Verdict {
  readonly figure: string
  readonly before: number
  readonly after: number
}

/** The time of a run, with the planted slowdown if there is one. */
const timeOf = ({ cpu, planted }: Turn["after"]): number => planted ?? cpu ?? Number.NaN

const rowsOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<Row> => {
  const figures = [...new Set(turns.map(({ figure }) => figure))]
  return figures.map((figure) => {
    const own = turns.filter((turn) => turn.figure === figure)
    const before = own.map((turn) => timeOf(turn.before))
    const after = own.map((turn) => timeOf(turn.after))
    return {
      figure,
      before: medianOf(before),
      after: medianOf(after),
      ...judge(after.map((time, i) => time / (before[i] ?? Number.NaN)))
    }
  })
}

/** Text in columns, the first to the left, the others to the right. */
export const columns = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const cell = (text: string, i: number): string =>
    i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n")
}

const milliseconds = (time: number): string => `${time.toFixed(1)} ms`

/** The table, and the figures that are slower. */
export const table = (
  turns: ReadonlyArray<Turn>
): { readonly text: string; readonly slower: ReadonlyArray<string> } => {
  const rows = rowsOf(turns)
  const lines = rows.map(({ after, before, figure, high, isSlower, low, median }) => [
    figure,
    milliseconds(before),
    milliseconds(after),
    median.toFixed(3),
    `${low.toFixed(3)} to ${high.toFixed(3)}`,
    isSlower ? "SLOWER" : ""
  ])
  const head = ["CPU time", "before", "after", "median of ratios", "95 % interval", ""]
  return {
    text: columns([head, ...lines]),
    slower: rows.filter(({ isSlower }) => isSlower).map(({ figure }) => figure)
  }
}
