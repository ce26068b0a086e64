/** What the drill of operators asks for, and what its operators say: all of it follows from the seed. */
import type { Limits } from "./payoutPlace.js"

const klay = 10n ** 18n

/** The limits of the processes that have some. */
export const strict: Limits = {
  each: String(200n * klay),
  day: String(1_500n * klay),
  approveAbove: String(50n * klay)
}

/** A payment: stored with the limits, or by a process that has none. */
export interface Requested {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly isStrict: boolean
}

/** Small ones, some that wait for approval, and some above the limit of one payment. */
const valueOf = (i: number): bigint => klay * (i % 10 < 5 ? 1n : i % 10 < 8 ? 60n : i % 10 < 9 ? 40n : 250n)

/** The payments. Each has a receiver of its own. Every third is stored by a process without limits. */
export const requestsOf = (keys: number, accounts: ReadonlyArray<string>): ReadonlyArray<Requested> =>
  Array.from({ length: keys }, (_, i) => {
    const isStrict = i % 3 !== 2
    return {
      // Some keys begin with a dash.
      key: i % 7 === 0 ? `-order-${i}` : `order-${i}`,
      from: accounts[i % accounts.length] ?? "",
      to: `0xd3${i.toString(16).padStart(38, "0")}`,
      value: isStrict ? valueOf(Math.floor(i / 3) * 2 + i % 3) : 3n * klay,
      isStrict
    }
  })

/** What an operator's command says. */
export type Verb = "approve" | "cancel" | "not-sent" | "sent" | "show" | "list" | "reconcile"

/** How often each is said, of all. */
const shares: Readonly<Record<Verb, number>> = {
  approve: 0.45,
  cancel: 0.12,
  "not-sent": 0.15,
  sent: 0.08,
  show: 0.08,
  list: 0.06,
  reconcile: 0.06
}

/** A verb, for a random number from 0 to 1. */
export const verbOf = (at: number): Verb => {
  let sum = 0
  for (const [verb, share] of Object.entries(shares)) {
    sum += share
    if (at < sum) return verb as Verb // a key of the record
  }
  return "list"
}

/** The words of the command. A hash is any, or one that the payment is known to have. */
export const wordsOf = (verb: Verb, key: string, hash: string | undefined): ReadonlyArray<string> => {
  const behind = ["--", key]
  switch (verb) {
    case "not-sent":
      return ["resolve", "--not-sent", "--yes", ...behind]
    case "sent":
      return ["resolve", "--sent", hash ?? `0x${"ab".repeat(32)}`, "--yes", ...behind]
    case "list":
      return ["list", "--json"]
    default:
      return [verb, ...behind]
  }
}
