/**
 * The bodies of failures as they stand on the wire, one class for each HTTP status: what a contract declares and the
 * sandbox answers. A client makes a `ServiceError` of them.
 *
 * **Details**
 *
 * All have `code` (seven digits, see `ServiceCode`), `message` (for people; the part after `; ` often names a field)
 * and `requestId`, which many wallet errors lack. The document shows no error body; this form was seen in the
 * specifications and tests of the service's public clients.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const fields = {
  code: Schema.Int,
  message: Schema.String,
  requestId: Schema.optional(Schema.String)
}

/**
 * HTTP 400.
 *
 * @since 0.1.0
 * @category schemas
 */
export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(fields) {
  static readonly status = 400
}

/**
 * HTTP 401, from the gateway.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Unauthorized extends Schema.Class<Unauthorized>("Unauthorized")(fields) {
  static readonly status = 401
}

/**
 * HTTP 404, from transfer history and token data. The wallet says "not found" with 400.
 *
 * @since 0.1.0
 * @category schemas
 */
export class NotFound extends Schema.Class<NotFound>("NotFound")(fields) {
  static readonly status = 404
}

/**
 * HTTP 500 (the status is inferred).
 *
 * @since 0.1.0
 * @category schemas
 */
export class InternalError extends Schema.Class<InternalError>("InternalError")(fields) {
  static readonly status = 500
}

/**
 * Any of them.
 *
 * @since 0.1.0
 * @category models
 */
export type ErrorBody = BadRequest | Unauthorized | NotFound | InternalError

/**
 * A class of bodies: its schema, and the HTTP status that it comes with.
 *
 * @since 0.1.0
 * @category models
 */
export type Class = typeof BadRequest | typeof Unauthorized | typeof NotFound | typeof InternalError
