/**
 * JSON in rows and files, with the version of its form. Text of a newer version is refused: a newer program may mean something else by the
 * fields that this one knows, or need the ones that it does not.
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * A form of stored JSON.
 *
 * @category models
 */
export interface Form<A, I> {
  /** What it is, in messages: `the limits of payouts`. */
  readonly name: string
  /** The version that this program reads and writes. */
  readonly version: number
  /** The fields, without the version. */
  readonly fields: Schema.Schema<A, I>
  /** Whether version 1 is written as a number. Text without one has version 1. Default: yes. */
  readonly writesFirst?: boolean | undefined
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of a text, without its version; or in words why the text is refused. */
const fieldsOf = (text: string, { name, version }: Pick<Form<unknown, unknown>, "name" | "version">): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TypeError(`${name} is no JSON`)
  }
  if (!isObject(value)) throw new TypeError(`${name} is no JSON object`)
  const { version: found = 1, ...fields } = value
  if (typeof found !== "number" || !Number.isSafeInteger(found) || found < 1) {
    throw new TypeError(`${name} has no version`)
  }
  if (found > version) {
    throw new TypeError(
      `${name} has version ${found}, and this program reads version ${version}: use the version of the program that wrote it, or a later one`
    )
  }
  return fields
}

/**
 * The schema of a form: text on the encoded side. Fails for another form, and in words for a newer version.
 *
 * **Example** (notes in a row)
 *
 * ```ts
 * import * as StoredJson from "@effect-klaytn/store/StoredJson"
 * import * as Schema from "effect/Schema"
 *
 * const Note = StoredJson.schema({ name: "a note", version: 1, fields: Schema.Struct({ text: Schema.String }) })
 *
 * console.log(Schema.encodeSync(Note)({ text: "paid" })) // {"version":1,"text":"paid"}
 * ```
 *
 * @category schemas
 */
export const schema = <A, I>(form: Form<A, I>): Schema.Schema<A, string> =>
  Schema.transformOrFail(Schema.String, Schema.Unknown, {
    strict: true,
    decode: (text, _, ast) => {
      try {
        return ParseResult.succeed(fieldsOf(text, form))
      } catch (error) {
        return ParseResult.fail(new ParseResult.Type(ast, text, error instanceof TypeError ? error.message : form.name))
      }
    },
    encode: (fields) =>
      ParseResult.succeed(
        JSON.stringify(
          form.version === 1 && form.writesFirst === false
            ? fields
            : { version: form.version, ...(isObject(fields) ? fields : {}) }
        )
      )
  }).pipe(Schema.compose(form.fields, { strict: false }))
