/**
 * Which spelling a client sends where the service's API document and its public clients differ.
 *
 * It only affects requests: in answers, both spellings are understood.
 */
import * as Schema from "effect/Schema"

/**
 * A choice for each doubtful word.
 *
 * | Field | Where it is sent | The API document | Public clients |
 * |---|---|---|---|
 * | `coin` | the kind of native-coin transfers in a history search | `coin` | `klay` |
 * | `gas` | the gas limit of a value transfer; `both` sends both fields with the same number | `gasLimit` | `gas` |
 * | `feePayer` | the fee payer of a value transfer; the API document spells it both ways | `feePayer` | `feePayer` |
 *
 * @category schemas
 */
export const WireDialect = Schema.Struct({
  coin: Schema.Literal("coin", "klay"),
  gas: Schema.Literal("gasLimit", "gas", "both"),
  feePayer: Schema.Literal("feePayer", "fee_payer")
}).annotations({ identifier: "WireDialect" })

/**
 * A choice for each doubtful word.
 *
 * @category models
 */
export type WireDialect = typeof WireDialect.Type

/**
 * The spellings of the service's API document. The default everywhere.
 *
 * @category constants
 */
export const document: WireDialect = { coin: "coin", gas: "gasLimit", feePayer: "feePayer" }

/**
 * The spellings that public clients of the service were seen to send.
 *
 * @category constants
 */
export const publicClients: WireDialect = { coin: "klay", gas: "gas", feePayer: "feePayer" }

/**
 * Makes the choices from {@link document} and some overrides.
 *
 * @example
 * ```ts
 * import * as WireDialect from "@effect-klaytn/core/WireDialect"
 *
 * // Sends both fields, for a server that reads either.
 * const dialect = WireDialect.make({ gas: "both" })
 * ```
 *
 * @category constructors
 */
export const make = (words: Partial<WireDialect>): WireDialect => ({ ...document, ...words })
