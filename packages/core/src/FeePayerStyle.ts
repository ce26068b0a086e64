/**
 * How a service interprets the fee payer of a value transfer, `POST /v2/tx/value`.
 *
 * **Details**
 *
 * The service's API document and its public clients disagree, so the same request can mean two things:
 *
 * | Request | `document` | `paths` |
 * |---|---|---|
 * | `POST /v2/tx/value` without `feePayer` | the service's global fee payer pays | the sender pays |
 * | `POST /v2/tx/value` with `feePayer` | that fee payer of the customer pays | not used |
 * | `POST /v2/tx/fd/value` | not used | the service's global fee payer pays |
 * | `POST /v2/tx/fd-user/value` | not used | the fee payer of the customer in `feePayer` pays |
 *
 * With `document` the sender can't pay for a value transfer. All other kinds of transaction have paths of their own for
 * each kind of fee payer, whichever style this is.
 *
 * **Gotchas**
 *
 * Only a send shows which of the two a service follows: send a small value transfer on the testnet with
 * `FeeDelegation.service` as the payer, and look at `paidBy` of the outcome. The style is a property of the service, so
 * it belongs to the configuration, beside the base address.
 */
import * as Schema from "effect/Schema"

/**
 * How a service reads the fee payer of a value transfer, see the table at the top.
 *
 * @category schemas
 */
export const FeePayerStyle = Schema.Literal("document", "paths").annotations({ identifier: "FeePayerStyle" })

/**
 * How a service reads the fee payer of a value transfer, see the table at the top.
 *
 * @category models
 */
export type FeePayerStyle = typeof FeePayerStyle.Type
