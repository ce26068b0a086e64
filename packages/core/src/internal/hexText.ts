/** Text in hexadecimal, with the `0x` in its type, so that it fits wherever other libraries take such text. */
import * as Schema from "effect/Schema"

/** The type that the libraries of this chain and of its relatives give to hexadecimal text. */
export type HexText = `0x${string}`

/** Text of a pattern that begins with `0x`. As `Schema.pattern` makes it, but its type tells the beginning. */
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
