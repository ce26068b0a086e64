/**
 * The look-up of each `SendUnknown` by the client that made it. It is no field of the error, since fields are logged and
 * stored, and not in `reconcile.ts`, which imports the module of the error.
 */
import type * as Effect from "effect/Effect"
import type { LookupFailed, SendUnknown, SendVerdict } from "../../SendOutcome.js"

type Reconcile = Effect.Effect<SendVerdict, LookupFailed>

const reconcilers = new WeakMap<SendUnknown, Reconcile>()

export const get = (error: SendUnknown): Reconcile | undefined => reconcilers.get(error)

export const attach = (error: SendUnknown, reconcile: Reconcile): SendUnknown => {
  reconcilers.set(error, reconcile)
  return error
}
