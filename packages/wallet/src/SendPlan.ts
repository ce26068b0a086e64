/**
 * A prepared transaction that a person can review before money moves.
 *
 * **Details**
 *
 * A plan is frozen and complete: it contains everything that determines what is sent, and `digest` is the SHA-256 hash
 * of all of it, including the text of `preview`. `execute` accepts a plan only if its digest still matches and it was
 * made for the same chain, host and fee payer style. To bind an approval that was given elsewhere, pass the approved digest to
 * `execute`.
 *
 * Making a plan sends nothing and does not consult the policy; executing it does, before anything is sent.
 *
 * **Store it before you send.** {@link SendPlan} is also its schema: JSON with amounts as decimal strings, which
 * refuses a plan that does not match its digest. If a program stores the plan (for a send without a nonce, the
 * `SendRecord` of `prepare`), sends, and dies, a later program can find the outcome of the send with
 * `TransactionLookup.reconcile`, or execute a plan that was never sent.
 *
 * **Gotchas**
 *
 * The digest detects changes; it is not a signature. Anyone who can make a plan can make a different one, so compare it
 * with the approved digest.
 *
 * A plan is executed only if its preview is the text that this version of the package, or an earlier one, writes for its
 * contents. An older version refuses a plan with newer words; it can still decode the plan and look the send up.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as internal from "./internal/plans/plan.js"
import { Contents } from "./TransactionRequest.js"

export type { Contents } from "./TransactionRequest.js"

/**
 * A plan.
 *
 * @category models
 */
export interface SendPlan extends internal.SendPlan {}

const Unchecked = Schema.TaggedStruct("SendPlan", { ...Contents.fields, preview: Schema.String, digest: Schema.String })

const Sealed: Schema.Schema<SendPlan, typeof Unchecked.Encoded> = Unchecked.pipe(
  Schema.filter((plan) => internal.isSealed(plan) ? undefined : "the plan was changed after it was made")
)

/**
 * A plan, encoded as JSON. One that does not match its digest can't be decoded.
 *
 * @category schemas
 */
export const SendPlan: Schema.Schema<SendPlan, typeof Unchecked.Encoded> = Schema.transform(
  Sealed,
  Schema.declare(Schema.is(Sealed)),
  { strict: true, decode: internal.freeze, encode: (plan) => plan }
).annotations({ identifier: "SendPlan" })

/**
 * Whether a plan is unchanged since it was made, and this version of the package would write the same preview.
 *
 * @category guards
 */
export const isUnchanged = (plan: SendPlan): boolean => Option.isSome(internal.verify(plan))
