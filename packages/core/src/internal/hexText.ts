/** Hexadecimal text with the `0x` in its type, so that it can be passed to other libraries. */
import * as Schema from "effect/Schema"

/** The type of hexadecimal text in the libraries of this chain and its relatives. */
export type HexText = `0x${string}`

/** Makes a schema like `Schema.pattern`, for a pattern that starts with `0x`, and with that prefix in its type. */
export const matching = (regex: RegExp, expected: string): Schema.Schema<HexText, string> =>
  Schema.String.pipe(
    Schema.filter((text: string): text is HexText => regex.test(text), {
      schemaId: Schema.PatternSchemaId,
      [Schema.PatternSchemaId]: { regex },
      description: `a string matching the pattern ${regex.source}`,
      jsonSchema: { pattern: regex.source },
      message: () => expected
    })
  )
