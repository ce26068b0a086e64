/**
 * The error bodies of the service as they are on the wire, one class per HTTP status. Contracts declare them and the
 * sandbox returns them; a client converts them to a `ServiceError`.
 *
 * **Details**
 *
 * Each has `code` (seven digits, see `ServiceCode`), `message` (for people; the part after `; ` often names a field)
 * and `requestId`, which many wallet errors lack. The API document shows no error body; this shape was seen in the
 * specifications and tests of the service's public clients.
 */
import * as Schema from "effect/Schema"

const fields = {
  code: Schema.Int,
  message: Schema.String,
  requestId: Schema.optional(Schema.String)
}

/**
 * The body of an HTTP 400.
 *
 * @category schemas
 */
export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(fields) {
  static readonly status = 400
}

/**
 * The body of an HTTP 401, which the gateway sends.
 *
 * @category schemas
 */
export class Unauthorized extends Schema.Class<Unauthorized>("Unauthorized")(fields) {
  static readonly status = 401
}

/**
 * The body of an HTTP 404, from transfer history and token data. The wallet answers "not found" with 400.
 *
 * @category schemas
 */
export class NotFound extends Schema.Class<NotFound>("NotFound")(fields) {
  static readonly status = 404
}

/**
 * The body of an HTTP 500 (the status is inferred).
 *
 * @category schemas
 */
export class InternalError extends Schema.Class<InternalError>("InternalError")(fields) {
  static readonly status = 500
}

/**
 * The error body of any status.
 *
 * @category models
 */
export type ErrorBody = BadRequest | Unauthorized | NotFound | InternalError

/**
 * The class of an error body: its schema, with its HTTP status as `status`.
 *
 * @category models
 */
export type Class = typeof BadRequest | typeof Unauthorized | typeof NotFound | typeof InternalError
