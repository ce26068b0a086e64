/** Runs of both sides in turns. */
import { inParallel } from "../../scripts/workspace.js"
import type { Told } from "./measured.js"
import { type Built, type Program, runOnce } from "./sides.js"

/** A program of both sides. */
export interface Pair {
  readonly program: Program
  readonly before: Built
  readonly after: Built
}

/** One figure in one run of each side. */
export interface Turn {
  readonly figure: string
  readonly before: Told
  readonly after: Told
}

/** Programs that run at the same time: the machine of CI has two cores. */
const width = 2

const turnOf = async ({ after, before, program }: Pair, round: number, planted: string | undefined) => {
  const now = () => runOnce(after, planted)
  const earlier = () => runOnce(before, undefined)
  const [first, second] = round % 2 === 0 ? [earlier, now] : [now, earlier]
  const one = await first()
  const other = await second()
  const [old, fresh] = round % 2 === 0 ? [one, other] : [other, one]
  return program.figures.flatMap((figure, i): ReadonlyArray<Turn> => {
    const [before, after] = [old[i], fresh[i]]
    return before === undefined || after === undefined ? [] : [{ figure, before, after }]
  })
}

/** Runs every program once on each side, the two sides of a program one right after the other. The first side changes. */
export const oneRound = async (pairs: ReadonlyArray<Pair>, round: number, planted?: string) =>
  (await inParallel(pairs, width, (pair) => turnOf(pair, round, planted))).flat()
