/**
 * What was spent in a sliding period: the value that moved, and the most that the fees can have been.
 *
 * The newest 256 spends are kept one by one. Older ones are added up in steps of a 256th of the period: they may count
 * that much longer than the period, their id is forgotten, and they can't be released any more. So a window never
 * allows more than its limits, and never has more than about 512 entries.
 */
import * as Either from "effect/Either"

/** A spend: its time in milliseconds, the value and the most that its fee can be in peb, and an id if it has one. */
export interface Entry {
  readonly at: number
  readonly value: bigint
  readonly fee: bigint
  readonly id?: string | undefined
}

/** Single spends and sums of older ones, in the order in which they were counted. */
export interface SpendWindow {
  /** `holders`: how often it was counted and not released. */
  readonly spends: ReadonlyArray<Entry & { readonly holders: number }>
  readonly sums: ReadonlyArray<Entry>
}

/** The limits of a window in peb, and its length in milliseconds. */
export interface Limits {
  readonly max: bigint
  readonly maxFees: bigint | undefined
  readonly millis: number
}

export const empty: SpendWindow = { spends: [], sums: [] }

const maxSpends = 256

/** Adds spends beyond the newest to the sums of their steps, each at the end of its step. */
const fold = ({ spends, sums }: SpendWindow, millis: number): SpendWindow => {
  if (spends.length <= maxSpends) return { spends, sums }
  const step = Math.max(1, Math.ceil(millis / maxSpends))
  const all = new Map(sums.map((sum) => [sum.at, sum]))
  for (const { at, fee, value } of spends.slice(0, -maxSpends)) {
    const end = Number.isFinite(step) ? Math.ceil(at / step) * step : step
    const sum = all.get(end)
    all.set(end, { at: end, value: value + (sum?.value ?? 0n), fee: fee + (sum?.fee ?? 0n) })
  }
  return { spends: spends.slice(-maxSpends), sums: [...all.values()] }
}

/**
 * Counts a spend, or returns the limit that it would exceed and what is left of that. What is older than the period is dropped. A spend with an id
 * counts once, however often it is counted, until it was released as often; its time is the last at which it was counted.
 */
export const count = (
  window: SpendWindow,
  { max, maxFees, millis }: Limits,
  entry: Entry
): Either.Either<SpendWindow, { readonly of: "value" | "fee"; readonly left: bigint }> => {
  const isRecent = ({ at }: { readonly at: number }): boolean => at > entry.at - millis
  const spends = window.spends.filter(isRecent)
  const sums = window.sums.filter(isRecent)
  const counted = entry.id === undefined ? undefined : spends.find(({ id }) => id === entry.id)
  if (counted !== undefined) {
    const again = { ...counted, at: entry.at, holders: counted.holders + 1 }
    return Either.right({ spends: [...spends.filter((one) => one !== counted), again], sums })
  }
  for (const [of, most] of [["value", max], ["fee", maxFees]] as const) {
    if (most === undefined) continue
    const left = [...spends, ...sums].reduce((left, one) => left - one[of], most)
    if (entry[of] > left) return Either.left({ of, left })
  }
  return Either.right(fold({ spends: [...spends, { ...entry, holders: 1 }], sums }, millis))
}

/** Takes a spend back, once: the one with its id, or else one of the same time and amounts without an id. */
export const release = (window: SpendWindow, { at, fee, id, value }: Entry): SpendWindow => {
  const index = window.spends.findIndex((one) =>
    one.id === id && (id !== undefined || (one.at === at && one.value === value && one.fee === fee))
  )
  const found = window.spends[index]
  if (found === undefined) return window
  return {
    ...window,
    spends: found.holders > 1
      ? window.spends.map((one) => one === found ? { ...one, holders: one.holders - 1 } : one)
      : window.spends.filter((one) => one !== found)
  }
}
