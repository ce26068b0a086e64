/**
 * A position in a list that can be stored and resumed from.
 *
 * **Details**
 *
 * A checkpoint is small and JSON-safe and contains no secret and no account: only the operation, chain, host, a
 * fingerprint of the filters, the cursor of the next page, digests of the cursors before it, and counts. Resuming with
 * other filters, another size, another chain or another host fails as `InvalidInput`. Delivery is *at least once, without
 * gaps*: store the items of a page first and its checkpoint afterwards; a crash between the two repeats that page.
 *
 * **Gotchas**
 *
 * How long a cursor stays valid is not known. The service refuses a checkpoint whose cursor has expired; start again
 * with a narrower range then.
 *
 * **Example** (store and resume)
 *
 * ```ts
 * import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
 * import * as Schema from "effect/Schema"
 *
 * declare const checkpoint: Checkpoint.Checkpoint
 *
 * const Stored = Schema.parseJson(Checkpoint.Checkpoint)
 * export const text = Schema.encodeSync(Stored)(checkpoint)
 * export const again = Schema.decodeUnknownEither(Stored)(text)
 * ```
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Chain } from "./Chain.js"
import { Cursor } from "./Cursor.js"
import { keccak } from "./internal/values/encoding.js"
import { InvalidInput } from "./ServiceError.js"
import { UnixTime } from "./UnixTime.js"

/**
 * A position in a list; `finished` once everything was delivered.
 *
 * @category models
 */
export class Checkpoint extends Schema.Class<Checkpoint>("@effect-klaytn/core/Checkpoint")({
  version: Schema.Literal(1),
  operation: Schema.String,
  chain: Chain,
  host: Schema.String,
  filters: Schema.String,
  cursor: Schema.optional(Cursor),
  /**
   * The end that an open time range was given when the list began; the remaining pages are requested with the same end.
   */
  end: Schema.optional(UnixTime),
  /**
   * Digests of the last 1000 cursors, 12 hexadecimal digits each, by which a resumed list recognises a cursor that was used
   * before.
   */
  recent: Schema.optionalWith(Schema.String, { default: () => "" }),
  finished: Schema.Boolean,
  pages: Schema.Int,
  items: Schema.Int
}) {}

/**
 * What a checkpoint is bound to in addition to the filters.
 *
 * @category models
 */
export interface Origin {
  readonly operation: string
  readonly chain: Chain
  readonly host: string
}

/**
 * Writes a value as text, with the fields of a record and the members of a set in a fixed order. Fields that are
 * `undefined` count as absent.
 *
 * @category accessors
 */
export const canonical = (value: unknown): string => {
  if (typeof value === "bigint") return `${value}n`
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(",")}]`
  if (value instanceof Set || value instanceof Map) return `{${Array.from(value, canonical).toSorted().join(",")}}`
  // Options, dates and the like have no own fields that tell them apart.
  if (Predicate.hasProperty(value, "toJSON") && Predicate.isFunction(value.toJSON)) {
    return `json(${canonical(value.toJSON())})`
  }
  if (!Predicate.isRecord(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value).filter((name) => value[name] !== undefined).toSorted()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
}

const digestLength = 12
const maxDigests = 1000

/**
 * The digest of a cursor, as checkpoints hold it.
 *
 * @category accessors
 */
export const digest = (cursor: string): string => keccak(cursor).slice(0, digestLength)

/**
 * The digests of the last cursors before a checkpoint, its own included, oldest first.
 *
 * @category accessors
 */
export const recentDigests = ({ recent }: Checkpoint): ReadonlyArray<string> => recent.match(/.{12}/g) ?? []

/** The place of a list at a cursor: none after the last page, and before the first. */
const placeAt = (cursor: Option.Option<Cursor>, recent: string) => ({
  cursor: Option.getOrUndefined(cursor),
  recent: Option.match(cursor, {
    onNone: () => "",
    onSome: (text) => (recent + digest(text)).slice(-digestLength * maxDigests)
  })
})

/** Identifies the filters of a list, whatever the order of their fields. */
const fingerprint = (input: object): string => keccak(canonical({ ...input, cursor: undefined })).slice(0, 32)

const refused = (origin: Origin, field: string, problem: string): InvalidInput =>
  InvalidInput.at(origin.operation, ["resumeFrom", field], problem)

/**
 * Makes the first checkpoint of a list, or checks that a stored one belongs to it. A cursor in the input is used when a
 * list starts afresh and must be left out when resuming.
 *
 * @category constructors
 */
export const begin = (
  origin: Origin,
  input: { readonly cursor?: string | undefined },
  stored?: Checkpoint
): Effect.Effect<Checkpoint, InvalidInput> => {
  const filters = fingerprint(input)
  if (stored === undefined) {
    const cursor = Option.map(Option.fromNullable(input.cursor || undefined), (text) => Cursor.make(text))
    return Effect.succeed(
      new Checkpoint({ version: 1, ...origin, filters, ...placeAt(cursor, ""), finished: false, pages: 0, items: 0 })
    )
  }
  if (input.cursor !== undefined) {
    return refused(origin, "cursor", "give either a cursor in the input or a checkpoint to resume from, not both")
  }
  for (const field of ["operation", "chain", "host"] as const) {
    if (stored[field] !== origin[field]) return refused(origin, field, `it was made for ${field} ${stored[field]}`)
  }
  if (stored.filters !== filters) {
    return refused(origin, "filters", "it was made with other filters or another size; resume with the same input")
  }
  return Effect.succeed(stored)
}

/**
 * Moves a checkpoint past one more page. `end` is the end that an open time range was given when the list began, if any.
 *
 * @category constructors
 */
export const advance = (
  before: Checkpoint,
  items: number,
  cursor: Option.Option<Cursor>,
  end?: UnixTime
): Checkpoint =>
  new Checkpoint({
    ...before,
    ...(end === undefined ? {} : { end }),
    ...placeAt(cursor, before.recent),
    finished: Option.isNone(cursor),
    pages: before.pages + 1,
    items: before.items + items
  })
