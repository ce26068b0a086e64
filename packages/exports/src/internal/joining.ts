/**
 * Joins windows of an export that older programs have made for each look at the service: a tail of a month had 43,200 for each
 * account. Newer programs lengthen windows in their place.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Plan from "../Plan.js"
import type { WindowState } from "../Sink.js"
import * as checksums from "./checksums.js"
import { isOlder, type Mark } from "./marks.js"
import { isOneSearch } from "./searches.js"
import { untilOf } from "./state.js"

/** An export with no more windows is left as it is. Tests make it few. */
export class Many extends Context.Reference<Many>()("@effect-klaytn/exports/internal/joining/Many", {
  defaultValue: () => 1000
}) {}

/** A window of more seconds or blocks is none that a look has made. */
const short = 86_400

const isShort = ({ from, to }: Plan.Window): boolean => to - from < short

/** Whether a plan has many windows that looks have made. */
export const hasMany = ({ windows }: Plan.Plan): Effect.Effect<boolean> =>
  Effect.map(Many, (many) => windows.length > many && windows.filter(isShort).length > many)

/** Windows of one source that follow each other, oldest first. */
type Run = readonly [Plan.Window, ...ReadonlyArray<Plan.Window>]

/** The runs of windows that can be joined. `canJoin` says which were read to their end and have nothing that names them. */
const runsOf = ({ unit, windows }: Plan.Plan, canJoin: (window: Plan.Window) => boolean): ReadonlyArray<Run> => {
  const open = new Map<number, [Plan.Window, ...Array<Plan.Window>]>()
  const runs: Array<Run> = []
  for (const window of [...windows].sort((one, other) => one.from - other.from)) {
    if (!isShort(window) || !canJoin(window)) {
      open.delete(window.source)
      continue
    }
    const run = open.get(window.source)
    const last = run?.at(-1)
    if (run !== undefined && last?.to === window.from - 1 && isOneSearch(unit, { from: run[0].from, to: window.to })) {
      run.push(window)
      continue
    }
    const begun: [Plan.Window, ...Array<Plan.Window>] = [window]
    open.set(window.source, begun)
    runs.push(begun)
  }
  return runs.filter(({ length }) => length > 1)
}

/** Windows that became one. */
export interface Joined {
  /** The first of them, with the end of the last. */
  readonly window: Plan.Window
  readonly members: ReadonlyArray<Plan.Window>
}

/** What is joined of a plan that has many windows. */
export const joinedOf = (plan: Plan.Plan, canJoin: (window: Plan.Window) => boolean): ReadonlyArray<Joined> =>
  runsOf(plan, canJoin).map((members) => ({
    window: { ...members[0], to: members.at(-1)?.to ?? members[0].to },
    members
  }))

/** The plan with its windows joined. */
export const planOf = (plan: Plan.Plan, joined: ReadonlyArray<Joined>): Plan.Plan => {
  const places = new Map(joined.map(({ window }) => [window.index, window]))
  const gone = new Set(joined.flatMap(({ members }) => members.slice(1).map(({ index }) => index)))
  return new Plan.Plan({
    ...plan,
    version: 3,
    joined: true,
    windows: plan.windows.filter(({ index }) => !gone.has(index)).map((window) => places.get(window.index) ?? window)
  })
}

/** What a state says of what was stored. */
export type Counted = Omit<WindowState, "checkpoint" | "equals" | "reading">

/** Whether a window can be joined: it was read to its end, and no rejected record has its number in its ID. */
export const canJoin = (window: Plan.Window, state: Counted | undefined): boolean =>
  state?.status === "closed" && state.rejected === 0 && untilOf(window, state) === window.to

/** The state of windows that became one, from that of the first and what is counted of all of them. */
export const stateOf = ({ window }: Joined, first: WindowState, states: ReadonlyArray<Counted>): WindowState => {
  const total = (count: (state: Counted) => number): number => states.reduce((sum, state) => sum + count(state), 0)
  const one = (name: "first" | "last", isBetter: (mark: Mark, best: Mark) => boolean): Mark | null =>
    states.reduce<Mark | null>((best, { [name]: mark }) => {
      if (mark === null) return best
      return best === null || isBetter(mark, best) ? mark : best
    }, null)
  return {
    ...first,
    pages: total(({ pages }) => pages),
    rows: total(({ rows }) => rows),
    rejected: total(({ rejected }) => rejected),
    skipped: total(({ skipped }) => skipped),
    left: total(({ left }) => left),
    overlaps: total(({ overlaps }) => overlaps),
    first: one("first", (mark, best) => !isOlder(mark, best)),
    last: one("last", isOlder),
    checksum: checksums.sum(states.map(({ checksum }) => checksum)),
    until: window.to
  }
}
