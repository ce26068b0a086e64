/** Runs of both sides in turns. */
import { inParallel } from "../../scripts/workspace.js"
import type { Begun, Told } from "./measured.js"
import { launch, type Running } from "./running.js"
import type { Built, Program } from "./sides.js"

/** A program of both sides. */
export interface Pair {
  readonly program: Program
  readonly before: Built
  readonly after: Built
}

/** One figure in one run of each side: a slice, or a whole process. */
export interface Turn {
  readonly figure: string
  readonly before: Told
  readonly after: Told
}

/** Programs that run at the same time: the machine of CI has two cores. */
const width = 2

/** How often a program that is measured as a whole runs in one round. */
const starts = 4

/**
 * Does slices of both sides, one side right after the other, so that both meet the same machine. Those that warm up are no
 * turns, unless they fail. The first side changes with each slice.
 */
const inTurns = async (
  figure: string,
  { slices, warmUps }: Omit<Begun, "figure">,
  round: number,
  slice: { readonly before: () => Promise<Told>; readonly after: () => Promise<Told> }
): Promise<ReadonlyArray<Turn>> => {
  const turns: Array<Turn> = []
  for (let number = 0; number < warmUps + slices; number++) {
    const told: { before?: Told; after?: Told } = {}
    const sides = ["before", "after"] as const
    for (const side of (number + round) % 2 === 0 ? sides : sides.toReversed()) told[side] = await slice[side]()
    const { after = {}, before = {} } = told
    const isCounted = number >= warmUps || before.problem !== undefined || after.problem !== undefined
    if (isCounted) turns.push({ figure, before, after })
  }
  return turns
}

/** What a program says of its next figure, or why nothing. */
const begun = async (running: Running): Promise<Begun | { readonly problem: string }> => {
  const message = await running.next()
  return "figure" in message ? message : { problem: message.problem ?? "the program told a time too many" }
}

/** The next slice of a program, or why there is none. */
const slice = (running: Running) => async (): Promise<Told> => {
  running.ask()
  const message = await running.next()
  return "figure" in message ? { problem: "the program began another figure" } : message
}

/** All figures of a program that works in slices. Both processes are there from the first figure to the last. */
const sliced = async (pair: Pair, round: number, planted: string | undefined): Promise<ReadonlyArray<Turn>> => {
  const before = launch(pair.before, undefined)
  const after = launch(pair.after, planted)
  const turns: Array<Turn> = []
  for (const figure of pair.program.figures) {
    const [old, fresh] = [await begun(before), await begun(after)]
    if ("problem" in old || "problem" in fresh) {
      turns.push({ figure, before: "problem" in old ? old : {}, after: "problem" in fresh ? fresh : {} })
    } else {
      turns.push(...await inTurns(figure, fresh, round, { before: slice(before), after: slice(after) }))
    }
  }
  await Promise.all([before.ended, after.ended])
  return turns
}

/** The figure of a program that is measured as a whole. */
const whole = async (pair: Pair, round: number, planted: string | undefined): Promise<ReadonlyArray<Turn>> => {
  const start = (built: Built, planted?: string) => async (): Promise<Told> => {
    const message = await launch(built, planted).next()
    return "figure" in message ? { problem: "the program worked in slices" } : message
  }
  const slice = { before: start(pair.before), after: start(pair.after, planted) }
  const [figure = ""] = pair.program.figures
  return inTurns(figure, { warmUps: 0, slices: starts }, round, slice)
}

/** Starts every program on each side, and makes all its runs. */
export const oneRound = async (pairs: ReadonlyArray<Pair>, round: number, planted?: string) =>
  (await inParallel(
    pairs,
    width,
    (pair) => pair.program.isWhole === true ? whole(pair, round, planted) : sliced(pair, round, planted)
  )).flat()
