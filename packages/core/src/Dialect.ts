/**
 * Which spelling a client sends where the service's document and its public clients differ.
 *
 * It only affects requests: in answers, both spellings are understood.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A choice for each doubtful word.
 *
 * | Field | Where it is sent | The document | Public clients |
 * |---|---|---|---|
 * | `coin` | the kind of native-coin transfers in a history search | `coin` | `klay` |
 * | `gas` | the gas limit of a value transfer; `both` sends both fields with the same number | `gasLimit` | `gas` |
 * | `feePayer` | the fee payer of a value transfer; the document spells it both ways | `feePayer` | `feePayer` |
 *
 * @since 0.1.0
 * @category schemas
 */
export const Dialect = Schema.Struct({
  coin: Schema.Literal("coin", "klay"),
  gas: Schema.Literal("gasLimit", "gas", "both"),
  feePayer: Schema.Literal("feePayer", "fee_payer")
}).annotations({ identifier: "Dialect" })

/**
 * A choice for each doubtful word.
 *
 * @since 0.1.0
 * @category models
 */
export type Dialect = typeof Dialect.Type

/**
 * The spellings of the service's document. The default everywhere.
 *
 * @since 0.1.0
 * @category constants
 */
export const document: Dialect = { coin: "coin", gas: "gasLimit", feePayer: "feePayer" }

/**
 * The spellings that public clients of the service were seen to send.
 *
 * @since 0.1.0
 * @category constants
 */
export const publicClients: Dialect = { coin: "klay", gas: "gas", feePayer: "feePayer" }

/**
 * Makes a dialect from {@link document} and some overrides.
 *
 * @example
 * ```ts
 * import * as Dialect from "@effect-klaytn/core/Dialect"
 *
 * // Sends both fields, for a server that reads either.
 * const dialect = Dialect.make({ gas: "both" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (words: Partial<Dialect>): Dialect => ({ ...document, ...words })
