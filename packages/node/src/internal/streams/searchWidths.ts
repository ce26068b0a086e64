/** How many blocks a log search may span, learned from what a node refused. */
import type { Service } from "../../KlaytnNode.js"
import type { ReadFailure } from "../errors/failure.js"

/** Whether a refused search may have been refused for its range: it is not about the credential, the quota or the method. */
export const mayBeRange = (error: ReadFailure): boolean => {
  switch (error._tag) {
    case "LogLimitExceeded":
    case "InvalidParams":
    case "RpcFailed":
    case "Unavailable":
      return true
    case "RateLimited":
      return error.origin === "service"
    case "Rejected":
      return error.status !== 402 && error.status !== 403
    case "TimedOut":
      return error.limit === "attempt"
    default:
      return false
  }
}

/** The numbers of a text below a limit: "2K" is 2,000. */
const numbersBelow = (text: string, limit: bigint): ReadonlyArray<bigint> =>
  [...text.matchAll(/\b(\d[\d,]{0,12})(k?)\b/gi)]
    .map(([, digits = "", unit]) => BigInt(digits.replaceAll(",", "")) * (unit === "" ? 1n : 1000n))
    .filter((number) => number > 1n && number < limit)

/** What is known of a node that refused a search. */
interface Known {
  /** The widest search that succeeded since; 0 if none did. */
  readonly proven: bigint
  /** The narrowest that was refused. */
  readonly refused: bigint
  /** Searches that succeeded since the last refusal. */
  readonly successes: number
}

const known = new WeakMap<Service, Known>()

/** After how many searches a wider one than was refused is tried again. */
const patience = 50

/** The smaller one of two numbers. */
export const least = (left: bigint, right: bigint): bigint => left < right ? left : right

/** Whether a search succeeded after one was refused: refusals of wider ones are then about their range. */
export const isProven = (node: Service): boolean => (known.get(node)?.proven ?? 0n) > 0n

/** The width of the first search. */
export const first = (node: Service, wanted: bigint): bigint => {
  const { proven = 0n } = known.get(node) ?? {}
  return proven === 0n ? wanted : least(wanted, proven)
}

/** The width to try after this one was refused: what worked, the largest number of blocks that the message may name, or half. */
export const smaller = (node: Service, width: bigint, error: ReadFailure): bigint => {
  const { proven = 0n, refused = width } = known.get(node) ?? {}
  const worked = proven < width ? proven : 0n
  known.set(node, { proven: worked, refused: least(width, refused), successes: 0 })
  const text = "serviceMessage" in error ? error.serviceMessage ?? "" : ""
  const hint = numbersBelow(text, width).toSorted((one, other) => one < other ? 1 : -1)[0]
  return worked > 0n ? worked : hint ?? width / 2n
}

/** The width of the search after one that succeeded: wider, but not much nearer to what was refused. */
export const after = (node: Service, width: bigint, most: bigint): bigint => {
  const before = known.get(node)
  if (before === undefined) return least(width * 2n, most)
  const proven = width > before.proven ? width : before.proven
  const isOld = before.successes >= patience
  const refused = isOld ? before.refused + before.refused / 2n + 1n : before.refused
  known.set(node, { proven, refused, successes: isOld ? 0 : before.successes + 1 })
  const between = (proven + refused) / 2n
  const wider = between > proven + proven / 4n ? between : proven
  return least(least(width * 2n, wider), most)
}
