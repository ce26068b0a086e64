/** The fee after a block, computed by the text of KIP-71: fee * (1 + (used - target) / target / 20), in whole peb. */
export const expectedAfter = (fee: bigint, used: bigint, [low, high]: readonly [bigint, bigint]): bigint => {
  const within = fee > high ? high : fee < low ? low : fee
  const counted = Number(used > 60_000_000n ? 60_000_000n : used)
  let next = within
  if (counted < 30_000_000) next = within - within * BigInt(30_000_000 - counted) / 30_000_000n / 20n
  if (counted > 30_000_000) {
    const rise = within * BigInt(counted - 30_000_000) / 30_000_000n / 20n
    next = within + (rise === 0n ? 1n : rise)
  }
  next = next > high ? high : next < low ? low : next
  return next & ~1n
}
