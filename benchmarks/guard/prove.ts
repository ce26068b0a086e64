/**
 * How often the guard finds a planted slowdown, and how often it fails without a change: from rounds of one commit on both
 * sides, of which as many are drawn as a guard in CI makes, again and again. Whole rounds are drawn: the runs of one process have
 * much in common.
 */
import { columns } from "./table.js"
import type { Turn } from "./turns.js"
import { judge, medianOf } from "./verdict.js"

/** Rounds in CI: 24 runs of each figure on each side. */
export const roundsInCi = 6

const draws = 10_000

interface Recorded {
  readonly figure: string
  /** The ratios of the runs without a change, by round. */
  readonly same: ReadonlyArray<ReadonlyArray<number>>
  /** The same with the planted slowdown. */
  readonly planted: ReadonlyArray<ReadonlyArray<number>>
}

const ratio = (after: number | undefined, before: number | undefined): number =>
  (after ?? Number.NaN) / (before ?? Number.NaN)

const recordedOf = (rounds: ReadonlyArray<ReadonlyArray<Turn>>): ReadonlyArray<Recorded> =>
  [...new Set(rounds.flat().map(({ figure }) => figure))].map((figure) => {
    const ratios = (of: (turn: Turn) => number) =>
      rounds.map((turns) => turns.filter((turn) => turn.figure === figure).map(of))
    return {
      figure,
      same: ratios(({ after, before }) => ratio(after.cpu, before.cpu)),
      planted: ratios(({ after, before }) => ratio(after.planted, before.cpu))
    }
  })

const share = (count: number, of: number): string => `${(100 * count / of).toFixed(2)} %`

/** The rounds of a guard, and those of its second look at what seems slower. */
const roundsOfBoth = 2 * roundsInCi

/** Rounds that a guard might have had: the same rounds for all figures, so that what disturbs one round disturbs all of them. */
const drawn = (rounds: number): ReadonlyArray<number> =>
  Array.from({ length: roundsOfBoth }, () => Math.floor(Math.random() * rounds))

/** Whether a guard fails: in its first rounds, and in all of them. */
const isSlower = (ratios: Recorded["same"], rounds: ReadonlyArray<number>): boolean =>
  [rounds.slice(0, roundsInCi), rounds].every((chosen) =>
    judge(chosen.flatMap((round) => ratios[round] ?? [])).isSlower
  )

const middleHalf = (ratios: ReadonlyArray<number>): string => {
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (part: number): string => (sorted[Math.floor(part * sorted.length)] ?? Number.NaN).toFixed(2)
  return `${at(0.25)} to ${at(0.75)}`
}

/** Says how often, and whether that is too seldom (nine of ten) or too often (one of fifty). */
export const prove = (
  made: ReadonlyArray<ReadonlyArray<Turn>>
): { readonly text: string; readonly isFailed: boolean } => {
  const recorded = recordedOf(made)
  const rounds = made.length
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
    { length: Math.floor(rounds / roundsOfBoth) },
    (_, guard) => Array.from({ length: roundsOfBoth }, (_, i) => guard * roundsOfBoth + i)
  )
  const failedGuards = guards.filter((chosen) => recorded.some(({ same }) => isSlower(same, chosen))).length
  const lines = recorded.map(({ figure, planted, same }) => [
    figure,
    medianOf(same.flat()).toFixed(3),
    middleHalf(same.flat()),
    medianOf(planted.flat()).toFixed(3),
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
