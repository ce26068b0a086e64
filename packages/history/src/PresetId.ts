/**
 * The ID of a preset: a set of accounts and token contracts that is created in the service's management console and
 * searched as one.
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

const problem = "a preset ID is a whole number such as 65, or text without commas, whitespace and control characters"

/**
 * A preset's ID. The API document calls it a string; the IDs seen are decimal integers. It may not contain commas,
 * whitespace or control characters, since IDs are joined with commas.
 *
 * @category schemas
 */
export const PresetId = Schema.String.pipe(
  Schema.filter((text): text is PresetId => /^[^\s,\p{Cc}]+$/u.test(text), {
    identifier: "PresetId",
    jsonSchema: { pattern: "^[^\\s,\\p{Cc}]+$" },
    message: () => problem
  })
)

/**
 * A preset's ID.
 *
 * @category models
 */
export type PresetId = string & Brand.Brand<"@effect-klaytn/history/PresetId">

/**
 * A preset's ID as input: a string, or a whole number, which is sent as text.
 *
 * @category schemas
 */
export const FromInput = Schema.transform(
  Schema.Union(Schema.String, Schema.NonNegativeInt).annotations({
    message: () => ({ message: problem, override: true })
  }),
  PresetId,
  { strict: true, decode: String, encode: (id) => id }
)
