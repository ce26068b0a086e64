/** How late this process runs its timers, in milliseconds: a machine that is busy is no fault of a program. */
export const watchDelays = () => {
  const seen: Array<readonly [at: number, late: number]> = []
  const every = 100
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - last > 1.5 * every) seen.push([now, now - last - every])
    last = now
  }, every)
  return {
    /** The sum of all delays between two moments, and a second after. */
    since: (from: number, to = performance.now()): number =>
      seen.reduce((sum, [at, late]) => at >= from && at <= to + 1_000 ? sum + late : sum, 0),
    stop: () => clearInterval(timer)
  }
}
