/** Runs `klaytn payouts nonces`: shows the nonces of an account, and resets those that nothing uses. */
import * as Address from "@effect-klaytn/core/Address"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Failure from "../terminal/Failure.js"
import { write } from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import type { PayoutsInput } from "./options.js"

const shown = 20

/** Some of the nonces, and how many more there are. */
const some = (nonces: ReadonlyArray<number | string>): string =>
  nonces.length === 0
    ? "none"
    : `${nonces.slice(0, shown).join(", ")}${nonces.length > shown ? `, and ${nonces.length - shown} more` : ""}`

/** What could be reset: nonces that the database counts as taken, and neither the chain nor the node knows. */
const isAhead = ({ book, counts }: Payouts.AccountNonces): boolean =>
  Option.exists(book, (book) => NonceBook.retreat(book, counts.next).next < book.next)

const text = (nonces: Payouts.AccountNonces): string => {
  const { account, book, counts: { mined, next }, holders } = nonces
  const stored = Option.match(book, {
    onNone: () => ["the database: nothing yet"],
    onSome: ({ gaps, next }) => [
      `the database: next ${next}`,
      `  held by payments: ${some(holders.map(({ key, nonce }) => `${nonce} (${Screen.clean(key)})`))}`,
      `  unused: ${some(gaps)}`
    ]
  })
  return Screen.lines([
    Address.checksum(account),
    `the chain: next ${mined} in blocks, ${next} with what waits`,
    ...stored,
    ...(isAhead(nonces) ? ["the database is ahead of the chain: --reset --yes frees what nothing holds"] : [])
  ])
}

/** `klaytn payouts nonces`. */
export const nonces = Effect.fnUntraced(function*({ from, json, reset, yes }: PayoutsInput) {
  if (from === undefined) return yield* Failure.usage("nonces needs --from, the account")
  const payouts = yield* Payouts.Payouts
  const before = yield* payouts.nonces(from)
  const after = reset && yes ? yield* payouts.resetNonces(from) : before
  yield* write(json, after, () => text(after))
  if (reset && !yes) return yield* Failure.usage("nothing was changed", "add --yes to reset the nonces")
  return isAhead(after) ? "found" as const : "ok" as const
})
