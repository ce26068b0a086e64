/**
 * The opaque string with which the service continues a list.
 *
 * **Details**
 *
 * A cursor belongs to the filters and the `size` of the request that returned it: send the same ones with it. It is
 * sent back unchanged. The service returns an empty string when nothing is left; that never becomes a `Cursor`. How
 * long a cursor stays valid is not known.
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

/**
 * A cursor: a non-empty string.
 *
 * @category schemas
 */
export const Cursor = Schema.String.pipe(
  Schema.filter((text): text is Cursor => text !== "", { identifier: "Cursor" })
)

/**
 * A cursor: a non-empty string.
 *
 * @category models
 */
export type Cursor = string & Brand.Brand<"@effect-klaytn/core/Cursor">
