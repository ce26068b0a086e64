/** Compares the nonces of accounts with what the chain counts. A count is evidence: see `TransactionLookup.count`. */
import type * as Address from "@effect-klaytn/core/Address"
import type * as Chain from "@effect-klaytn/core/Chain"
import * as NonceBook from "@effect-klaytn/wallet/NonceBook"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Context } from "./context.js"

/** The waits between retries of a node that does not answer. */
const pauses = Schedule.exponential("100 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "5 seconds")),
  Schedule.jittered
)

/** What counts the transactions of accounts. */
type Counting = Pick<Context, "lookup" | "preparing"> & { readonly store: Pick<Context["store"], "book" | "mined"> }

/** Counts the transactions of an account once; the nonces of its book are known. */
const countOnce = ({ lookup, preparing, store }: Counting, chain: Chain.Chain, from: Address.Address) =>
  Effect.flatMap(store.book(chain, from), (book) => {
    const known = Option.match(book, { onNone: () => 0, onSome: ({ next }) => next })
    return preparing.withPermits(1)(TransactionLookup.count(lookup, from, known))
  })

/** Asks the chain until it answers. `what` is read for payouts of an account. */
export const untilAnswered =
  (what: string, from: Address.Address) =>
  <A, E>(effect: Effect.Effect<A, E | LookupFailed>): Effect.Effect<A, Exclude<E, LookupFailed>> =>
    effect.pipe(
      Effect.tapError((error) =>
        isLookupFailed(error)
          ? Effect.logWarning(`payouts: reading ${what} of ${from} failed; trying again`).pipe(
            Effect.annotateLogs("error", String(error))
          )
          : Effect.void
      ),
      Effect.retry({ schedule: pauses, while: isLookupFailed }),
      // The retries of a look-up never end with its failure.
      Effect.catchIf(isLookupFailed, Effect.die)
    )

const isLookupFailed = (error: unknown): error is LookupFailed => error instanceof LookupFailed

/** Counts the transactions of an account until the chain answers what can be. */
export const count = (
  context: Context,
  chain: Chain.Chain,
  from: Address.Address
): Effect.Effect<TransactionLookup.Counts> => untilAnswered("the next nonce", from)(countOnce(context, chain, from))

/** Reads the account's next nonce from the chain, and stores it: 0 if no block holds a transaction of the account. */
export const sync = (context: Context, chain: Chain.Chain, from: Address.Address): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { mined, next } = yield* count(context, chain, from)
    yield* context.store.advance(chain, from, mined === 0 ? 0 : next)
    context.synced.add(from)
  })

/** How often, and how far apart, a node has to say that a nonce is out of reach. */
const agreed = { times: 3, apart: "1 second" } as const

/**
 * Whether the node says again and again that a nonce is the next one of an account, and that nothing of the account waits. Not believed of a
 * nonce that a final block settled for a payout, or one below: a node that synchronises anew counts too little.
 */
export const isNext = (
  context: Counting,
  chain: Chain.Chain,
  from: Address.Address,
  nonce: number,
  times = 1
): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    if (Option.exists(yield* context.store.mined(chain, from), (known) => known >= nonce)) return false
    for (let asked = 0; asked < times; asked++) {
      if (asked > 0) yield* Effect.sleep(agreed.apart)
      const counted = yield* Effect.option(countOnce(context, chain, from))
      if (!Option.exists(counted, ({ mined, next }) => mined === nonce && next === nonce)) return false
    }
    return true
  })

/**
 * Whether a nonce that an account holds is out of reach of its next one, so that no block can have it: a node counted far too much when it
 * was handed out. One node may as well count too little.
 */
export const isUnreachable = (
  context: Counting,
  chain: Chain.Chain,
  from: Address.Address,
  next: number,
  held: number
): Effect.Effect<boolean> =>
  NonceBook.isOutOfReach(next, held) ? isNext(context, chain, from, next, agreed.times) : Effect.succeed(false)
