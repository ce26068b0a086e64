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
export const Spelling = Schema.Struct({
  coin: Schema.Literal("coin", "klay"),
  gas: Schema.Literal("gasLimit", "gas", "both"),
  feePayer: Schema.Literal("feePayer", "fee_payer")
}).annotations({ identifier: "Spelling" })

/**
 * A choice for each doubtful word.
 *
 * @since 0.1.0
 * @category models
 */
export type Spelling = typeof Spelling.Type

/**
 * The spellings of the service's document. The default everywhere.
 *
 * @since 0.1.0
 * @category constants
 */
export const document: Spelling = { coin: "coin", gas: "gasLimit", feePayer: "feePayer" }

/**
 * The spellings that public clients of the service were seen to send.
 *
 * @since 0.1.0
 * @category constants
 */
export const publicClients: Spelling = { coin: "klay", gas: "gas", feePayer: "feePayer" }

/**
 * Makes the choices from {@link document} and some overrides.
 *
 * @example
 * ```ts
 * import * as Spelling from "@effect-klaytn/core/Spelling"
 *
 * // Sends both fields, for a server that reads either.
 * const spelling = Spelling.make({ gas: "both" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (words: Partial<Spelling>): Spelling => ({ ...document, ...words })
