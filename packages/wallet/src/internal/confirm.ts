/** Waits for a transaction that was accepted. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { FoundTransaction, LookupFailed, Sent } from "../SendOutcome.js"
import type * as TransactionLookup from "../TransactionLookup.js"

type End = Exclude<TransactionLookup.Confirmation, { readonly _tag: "Stuck" }>

/** Where the transaction is now. */
type Seen = End | { readonly _tag: "Waits"; readonly transaction: FoundTransaction | undefined }

const isInBlock = ({ state }: FoundTransaction): boolean => state !== "waiting"

type Accepted = Pick<Sent, "transactionHash" | "from" | "nonce">

/** By its hash if the service shows it in a block, or else by its nonce. */
const look = (
  lookup: TransactionLookup.Service,
  { from, nonce, transactionHash }: Accepted
): Effect.Effect<Seen, LookupFailed> =>
  Effect.gen(function*() {
    const shown = yield* Effect.orElseSucceed(lookup.byHash(transactionHash), Option.none<FoundTransaction>)
    const [own] = Option.toArray(shown)
    if (own !== undefined && isInBlock(own)) return { _tag: "Executed", transaction: own }
    const [taken] = Option.toArray(yield* lookup.byNonce(from, nonce))
    if (taken === undefined) return { _tag: "Waits", transaction: own }
    return { _tag: taken.transactionHash === transactionHash ? "Executed" : "Superseded", transaction: taken }
  })

export const confirm = (
  lookup: TransactionLookup.Service,
  sent: Accepted,
  options: { readonly within: Duration.DurationInput; readonly pollInterval?: Duration.DurationInput | undefined }
): Effect.Effect<TransactionLookup.Confirmation, LookupFailed> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const startedAt = Deadline.now(clock)
    const within = Duration.toMillis(options.within)
    while (true) {
      const seen = yield* Effect.either(look(lookup, sent))
      if (Either.isRight(seen) && seen.right._tag !== "Waits") return seen.right
      const waited = Deadline.now(clock) - startedAt
      if (waited >= within) {
        const { transaction } = yield* seen
        const nextNonce = yield* lookup.nextNonce(sent.from)
        return { _tag: "Stuck", nonce: sent.nonce, nextNonce, waited, transaction }
      }
      yield* Effect.sleep(Math.min(Duration.toMillis(options.pollInterval ?? "1 second"), within - waited))
    }
  })
