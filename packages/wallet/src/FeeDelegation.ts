/**
 * Who pays the fee of a transaction. Every send must choose.
 *
 * **Details**
 *
 * For a value transfer, services differ in how the choice is sent. The configuration says how yours does it:
 * `feePayerStyle` of `ClientConfig`, or `KLAYTN_FEE_PAYER_STYLE`.
 *
 * | Choice | `document` (default) | `paths` (public clients) |
 * |---|---|---|
 * | {@link user} | `POST /v2/tx/value` with `feePayer` | `POST /v2/tx/fd-user/value` with `feePayer` |
 * | {@link service} | `POST /v2/tx/value` without `feePayer` | `POST /v2/tx/fd/value` |
 * | {@link sender} | refused: the API document has no request for it | `POST /v2/tx/value` |
 *
 * All other kinds of transaction have a path of their own for each choice, see `Transactions`.
 *
 * **Gotchas**
 *
 * If the client is configured for `document` and the service follows `paths`, the sender pays what {@link service}
 * should pay. `paidBy` of the outcome says who paid; if a different account paid than the one you asked for, a warning
 * is logged.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Schema from "effect/Schema"

const UserFeePayer = Schema.TaggedStruct("UserFeePayer", { address: Address.FromInput })
const ServiceFeePayer = Schema.TaggedStruct("ServiceFeePayer", {})
const SenderPays = Schema.TaggedStruct("SenderPays", {})

/**
 * Who pays the fee. Decodes the values of {@link user}, {@link service} and {@link sender}; the address of a user fee
 * payer is in one case or has a correct checksum.
 *
 * @category schemas
 */
export const FeePayer = Schema.Union(UserFeePayer, ServiceFeePayer, SenderPays).annotations({
  identifier: "FeePayer",
  message: () => ({
    message: "say who pays the fee: FeeDelegation.user(address), FeeDelegation.service or FeeDelegation.sender",
    override: false
  })
})

/**
 * Who pays the fee, after validation.
 *
 * @category models
 */
export type FeePayer = typeof FeePayer.Type

/**
 * Who pays the fee, as a caller writes it.
 *
 * @category models
 */
export type FeePayerInput = typeof FeePayer.Encoded

/**
 * A fee payer of your own pays: one created in the management console, or by `POST /v2/feepayer`.
 *
 * @category constructors
 */
export const user = (address: string): FeePayerInput => ({ _tag: "UserFeePayer", address })

/**
 * The service's global fee payer pays; the customer's account is charged later.
 *
 * @category constructors
 */
export const service: FeePayerInput = { _tag: "ServiceFeePayer" }

/**
 * The sending account pays. Not in the API document: a service of the style `document` has no value transfer for it.
 *
 * @category constructors
 */
export const sender: FeePayerInput = { _tag: "SenderPays" }
