/** How many cursors a stream keeps for comparison: a loop no longer than this is found before a page comes twice. */
const remembered = 100_000

/**
 * Checks by its digest whether a cursor was seen before, beginning with the digests of `seen`. A repeat of one of the last
 * `most` is found at once. A longer loop is found a few rounds later, by comparing with one cursor that is replaced at
 * every power of two (Brent's algorithm), so memory stays bounded.
 */
export const repeats = (seen: ReadonlyArray<string>, most = remembered): (digest: string) => boolean => {
  const last = new Set(seen)
  let anchor: string | undefined
  let count = 0
  let power = most
  return (digest) => {
    if (last.has(digest) || digest === anchor) return true
    last.add(digest)
    for (const oldest of last) {
      if (last.size <= most) break
      last.delete(oldest)
    }
    if (++count === power) {
      anchor = digest
      power *= 2
    }
    return false
  }
}
