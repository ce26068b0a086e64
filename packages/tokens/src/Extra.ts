/**
 * The fields of a record that this SDK does not know.
 *
 * **Details**
 *
 * The service may add fields to its records. They are kept, untyped and unchanged, in `extra` of their record and are
 * written next to the known fields when the record is encoded. A record without any has an empty `extra`. A record
 * stored by an older version of this SDK therefore loses nothing, and a misspelt field name is still a type error.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Unknown fields by name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Extra = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * Unknown fields by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Extra = typeof Extra.Type

/**
 * The schema of a record: the known fields, and all others under `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WithExtra<Fields extends Schema.Struct.Fields> extends
  Schema.Schema<
    Schema.Simplify<Schema.Struct.Type<Fields> & { readonly extra: Extra }>,
    Schema.Simplify<Schema.Struct.Encoded<Fields>>
  >
{}
