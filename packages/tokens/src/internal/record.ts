/** Makes schemas of records that keep unknown fields in `extra`. */
import * as Decoder from "@effect-klaytn/core/Decoder"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { WithExtra } from "../Token.js"

/** Unknown fields by name. */
export const Extra = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const open = (fields: Schema.Struct.Fields) => {
  const names = new Set(Object.keys(fields))
  return Schema.transform(
    Schema.Struct(fields, Extra),
    Schema.typeSchema(Schema.Struct({ ...fields, extra: Extra })),
    {
      strict: false,
      decode: (record: object) => {
        const fields = (known: boolean) =>
          Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name) === known))
        return { ...fields(true), extra: fields(false) }
      },
      encode: ({ extra, ...known }: Readonly<Record<string, unknown>>) =>
        Predicate.isRecord(extra) ? { ...extra, ...known } : known
    }
  )
}

/** `fields` may rename keys, but none may be called `extra`. */
export const make = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields): WithExtra<Fields> =>
  // A type can't follow generic fields through the split; no field of a contract needs a service.
  Decoder.keepsOthers(open(fields).annotations({ identifier }), "extra") as unknown as WithExtra<Fields>
