/** How an unknown send is looked up by the client that made it: not a field of the error, which is logged and stored. */
import type * as Effect from "effect/Effect"
import type { LookupFailed } from "../FoundTransaction.js"
import type { SendUnknown, SendVerdict } from "../SendOutcome.js"

type FindOut = Effect.Effect<SendVerdict, LookupFailed>

const known = new WeakMap<SendUnknown, FindOut>()

export const of = (error: SendUnknown): FindOut | undefined => known.get(error)

export const attach = (error: SendUnknown, findOut: FindOut): SendUnknown => {
  known.set(error, findOut)
  return error
}
