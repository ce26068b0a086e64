/**
 * The opaque text with which a service continues a list.
 *
 * **Details**
 *
 * A cursor belongs to the filters and the `size` it was handed out for: send the same ones with it. It is sent back
 * unchanged. The service hands out an empty text when nothing is left; that never becomes a `Cursor`. How long a cursor
 * lives is not known.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A cursor: a text that is not empty.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Cursor = Schema.NonEmptyString.pipe(Schema.brand("@effect-klaytn/core/Cursor"))

/**
 * A cursor: a text that is not empty.
 *
 * @since 0.1.0
 * @category models
 */
export type Cursor = typeof Cursor.Type
