/** How a manifest is made of the states of windows. */
import type { Manifest } from "../Manifest.js"
import type { Plan } from "../Plan.js"
import { type Damage, fresh, type WindowState } from "../Sink.js"
import { sum } from "./checksums.js"
import type { Columns } from "./columns.js"
import { isOlder, type Mark } from "./marks.js"
import { statusOf } from "./state.js"

type Entry = Manifest["windows"][number]

/** What a manifest says of the columns. */
export const named = (
  { transfers, version }: Columns
): { readonly version: number; readonly names: ReadonlyArray<string> } => ({
  version,
  names: transfers.map(({ name }) => name)
})

/** What is wrong with each window that is damaged. */
export const damagedOf = (damages: ReadonlyArray<Damage>): Map<number, string> => {
  const found = new Map<number, string>()
  for (const { problem, window } of damages) {
    const before = found.get(window)
    found.set(window, before === undefined ? problem : `${before}; ${problem}`)
  }
  return found
}

/** What is known of a store beside the states of its windows. */
interface Known {
  /** What is wrong with windows that are damaged. */
  readonly damaged: ReadonlyMap<number, string>
  /** How many rows and rejected records are marked as extra. */
  readonly extra: number
}

export const make = (
  columns: Columns,
  plan: Plan,
  states: ReadonlyArray<WindowState>,
  { damaged, extra }: Known = { damaged: new Map(), extra: 0 }
): Manifest => {
  const found = new Map(states.map((state) => [state.window, state]))
  const windows = plan.windows.map((window): Entry => {
    const { from, index, source, to } = window
    const state = found.get(index)
    const { checkpoint: _checkpoint, equals: _equals, index: _index, reading: _reading, ...shown } = state ??
      fresh(window)
    const problem = damaged.get(index)
    const status = state === undefined ? "pending" : statusOf(window, state)
    return {
      ...shown,
      source,
      from,
      to,
      ...(problem === undefined ? { status } : { status: "damaged", note: problem })
    }
  })
  const total = (count: (window: Entry) => number): number => windows.reduce((all, window) => all + count(window), 0)
  const rejected = total((window) => window.rejected)
  const newest = [...windows].sort((a, b) => b.to - a.to)
  return {
    version: 1,
    complete: windows.some(({ status }) => status !== "closed") ? "no" : rejected > 0 ? "except-rejected" : "yes",
    unit: plan.unit,
    from: plan.from,
    to: plan.to,
    sources: plan.sources,
    columns: named(columns),
    rows: total((window) => window.rows),
    rejected,
    skipped: total((window) => window.skipped),
    extra,
    left: total((window) => window.left),
    overlaps: total((window) => window.overlaps),
    // Windows of several accounts are of one time.
    first: newest.flatMap(({ first }) => first ?? []).reduce<Mark | null>(
      (best, one) => best !== null && isOlder(one, best) ? best : one,
      null
    ),
    last: newest.flatMap(({ last }) => last ?? []).reduce<Mark | null>(
      (best, one) => best === null || isOlder(one, best) ? one : best,
      null
    ),
    checksum: sum(windows.map((window) => window.checksum)),
    windows
  }
}
