/**
 * How the client that made a send looks for it: apart from `SendUnknown`, whose fields are logged and stored, and apart
 * from `reconcile.ts`, which needs that module.
 */
import type * as Effect from "effect/Effect"
import type { LookupFailed, SendUnknown, SendVerdict } from "../SendOutcome.js"

type Reconcile = Effect.Effect<SendVerdict, LookupFailed>

const reconcilers = new WeakMap<SendUnknown, Reconcile>()

export const get = (error: SendUnknown): Reconcile | undefined => reconcilers.get(error)

export const attach = (error: SendUnknown, reconcile: Reconcile): SendUnknown => {
  reconcilers.set(error, reconcile)
  return error
}
