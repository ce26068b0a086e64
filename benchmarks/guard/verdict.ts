/** What the ratios of a figure's runs say. */

/** A median of ratios from which on a figure may be slower. */
const slowFrom = 1.15

/** A ratio that the interval must exclude, so that noise is not taken for a slowdown. */
const surelyAbove = 1.05

export interface Verdict {
  readonly median: number
  /** The interval of the median, with a confidence of at least 95 %, whatever the distribution of the ratios. */
  readonly low: number
  readonly high: number
  readonly isSlower: boolean
}

/** The middle value, or the mean of the two in the middle. NaN of nothing. */
export const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/**
 * How many of the lowest values are below the interval of the median, and as many of the highest above. The number of values
 * below the median has a binomial distribution: the interval begins at the last value that has at most as many before
 * itself as 2.5 % of all samples have.
 */
const outside = (count: number): number => {
  let probability = 0.5 ** count
  let sum = probability
  let ranks = 0
  while (sum <= 0.025 && ranks < count) {
    ranks++
    probability *= (count - ranks + 1) / ranks
    sum += probability
  }
  return Math.max(0, ranks - 1)
}

/** Judges the ratios of the runs of one figure, after to before. Fewer than six have no interval of that confidence: theirs is all of them. */
export const judge = (ratios: ReadonlyArray<number>): Verdict => {
  const sorted = ratios.toSorted((one, other) => one - other)
  const cut = outside(sorted.length)
  const median = medianOf(sorted)
  const low = sorted[cut] ?? Number.NaN
  const high = sorted[sorted.length - 1 - cut] ?? Number.NaN
  return { median, low, high, isSlower: median > slowFrom && low > surelyAbove }
}
