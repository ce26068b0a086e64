/**
 * The ID of a preset: a set of accounts and token contracts that is created in the service's management console and
 * searched as one.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const problem = "a preset ID is a whole number such as 65, or a text without commas, blanks and control characters"

/**
 * A preset's ID. The document calls it a string; the IDs seen are decimal integers. It may not contain commas,
 * whitespace or control characters, since IDs are joined with commas.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PresetId = Schema.String.pipe(
  Schema.pattern(/^[^\s,\p{Cc}]+$/u, {
    identifier: "PresetId",
    message: () => problem
  }),
  Schema.brand("@effect-klaytn/history/PresetId")
)

/**
 * A preset's ID.
 *
 * @since 0.1.0
 * @category models
 */
export type PresetId = typeof PresetId.Type

/**
 * A preset's ID as input: a string, or a whole number, which is sent as text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FromInput = Schema.transform(
  Schema.Union(Schema.String, Schema.NonNegativeInt).annotations({
    message: () => ({ message: problem, override: true })
  }),
  PresetId,
  { strict: true, decode: String, encode: (id) => id }
)
