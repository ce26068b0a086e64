/**
 * How often the guard finds a planted slowdown, and how often it fails without a change: from runs of one commit on both
 * sides, of which as many are drawn as a guard in CI makes, again and again.
 */
import { columns } from "./table.js"
import type { Turn } from "./turns.js"
import { judge, medianOf } from "./verdict.js"

/** Runs of each side in CI. */
const runsInCi = 20

const draws = 10_000

interface Recorded {
  readonly figure: string
  /** The ratios of the rounds without a change. */
  readonly same: ReadonlyArray<number>
  /** The same with the planted slowdown. */
  readonly planted: ReadonlyArray<number>
}

const ratio = (after: number | undefined, before: number | undefined): number =>
  (after ?? Number.NaN) / (before ?? Number.NaN)

const recordedOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<Recorded> =>
  [...new Set(turns.map(({ figure }) => figure))].map((figure) => {
    const own = turns.filter((turn) => turn.figure === figure)
    return {
      figure,
      same: own.map(({ after, before }) => ratio(after.cpu, before.cpu)),
      planted: own.map(({ after, before }) => ratio(after.planted, before.cpu))
    }
  })

const share = (count: number, of: number): string => `${(100 * count / of).toFixed(2)} %`

/** Rounds that a guard might have had: the same rounds for all figures, so that what disturbs one round disturbs all of them. */
const drawn = (rounds: number): ReadonlyArray<number> =>
  Array.from({ length: runsInCi }, () => Math.floor(Math.random() * rounds))

const isSlower = (ratios: ReadonlyArray<number>, rounds: ReadonlyArray<number>): boolean =>
  judge(rounds.map((round) => ratios[round] ?? Number.NaN)).isSlower

const middleHalf = (ratios: ReadonlyArray<number>): string => {
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (part: number): string => (sorted[Math.floor(part * sorted.length)] ?? Number.NaN).toFixed(2)
  return `${at(0.25)} to ${at(0.75)}`
}

/** Says how often, and whether that is too seldom (nine of ten) or too often (one of fifty). */
export const prove = (turns: ReadonlyArray<Turn>): { readonly text: string; readonly isFailed: boolean } => {
  const recorded = recordedOf(turns)
  const rounds = Math.min(...recorded.map(({ same }) => same.length))
  const found = new Map<string, number>()
  let failed = 0
  for (let draw = 0; draw < draws; draw++) {
    const chosen = drawn(rounds)
    if (recorded.some(({ same }) => isSlower(same, chosen))) failed++
    for (const { figure, planted } of recorded) {
      if (isSlower(planted, chosen)) found.set(figure, (found.get(figure) ?? 0) + 1)
    }
  }
  // Guards as they would have been, one after the other.
  const guards = Array.from(
    { length: Math.floor(rounds / runsInCi) },
    (_, guard) => Array.from({ length: runsInCi }, (_, i) => guard * runsInCi + i)
  )
  const failedGuards = guards.filter((chosen) => recorded.some(({ same }) => isSlower(same, chosen))).length
  const lines = recorded.map(({ figure, planted, same }) => [
    figure,
    medianOf(same).toFixed(3),
    middleHalf(same),
    medianOf(planted).toFixed(3),
    share(found.get(figure) ?? 0, draws),
    `${guards.filter((chosen) => isSlower(planted, chosen)).length} of ${guards.length}`
  ])
  const head = ["", "no change", "half of the runs", "planted", "found in draws", "found in turn"]
  const text = [
    columns([head, ...lines]),
    `without a change a guard fails in ${
      share(failed, draws)
    } of the draws, and in ${failedGuards} of ${guards.length} in turn`
  ].join("\n")
  const isSeldomFound = recorded.some(({ figure }) => (found.get(figure) ?? 0) < 0.9 * draws)
  return { text, isFailed: isSeldomFound || failed >= draws / 50 }
}
