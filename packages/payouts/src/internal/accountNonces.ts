/** Shows the nonces of an account, and resets its book where the chain and the book agree that nothing is under way. */
import * as Address from "@effect-klaytn/core/Address"
import * as Input from "@effect-klaytn/core/Input"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DatabaseFailed } from "../PayoutError.js"
import type { AccountNonces, Service } from "../Payouts.js"
import type { Context } from "./context.js"
import type { Store } from "./store.js"

const readAccount = Input.decode("payouts.nonces", Address.FromInput)

export const make = (
  { chain, lookup }: Pick<Context, "chain" | "lookup">,
  store: Store<DatabaseFailed>
): Pick<Service, "nonces" | "resetNonces"> => {
  const read = (account: Address.Address) =>
    Effect.gen(function*() {
      const book = yield* store.book(chain, account)
      const known = Option.match(book, { onNone: () => 0, onSome: ({ next }) => next })
      const counts = yield* TransactionLookup.count(lookup, account, known)
      return { account, counts, book, holders: yield* store.holders(chain, account) } satisfies AccountNonces
    })
  return {
    nonces: (account) => Effect.flatMap(readAccount(account), read),
    resetNonces: (input) =>
      Effect.gen(function*() {
        const { account, counts } = yield* read(yield* readAccount(input))
        const mined = yield* store.mined(chain, account)
        if (Option.exists(mined, (nonce) => nonce >= counts.next)) {
          const problem = `the node counts ${counts.next}, and blocks settled payouts of this database up to nonce ` +
            `${Option.getOrThrow(mined)}: it lags, or stands at another chain`
          return yield* new LookupFailed({ problem })
        }
        yield* store.retreat(chain, account, counts.next)
        return yield* read(account)
      })
  }
}
