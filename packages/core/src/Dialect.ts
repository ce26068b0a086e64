/**
 * Which of two words a client sends where the service's document and the public clients of the service differ.
 *
 * It decides what is sent only: both words are understood in every answer.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A choice for each word that is in doubt.
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
 * A choice for each word that is in doubt.
 *
 * @since 0.1.0
 * @category models
 */
export type Dialect = typeof Dialect.Type

/**
 * The words of the service's document. The default everywhere.
 *
 * @since 0.1.0
 * @category constants
 */
export const document: Dialect = { coin: "coin", gas: "gasLimit", feePayer: "feePayer" }

/**
 * The words that public clients of the service were seen to send.
 *
 * @since 0.1.0
 * @category constants
 */
export const publicClients: Dialect = { coin: "klay", gas: "gas", feePayer: "feePayer" }

/**
 * The words of the {@link document}, with some replaced.
 *
 * @example
 * ```ts
 * import * as Dialect from "@effect-klaytn/core/Dialect"
 *
 * // A server that reads either field gets both.
 * const dialect = Dialect.make({ gas: "both" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (words: Partial<Dialect>): Dialect => ({ ...document, ...words })
