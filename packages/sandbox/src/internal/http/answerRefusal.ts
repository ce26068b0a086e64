import { BadRequest, InternalError, NotFound, Unauthorized } from "@effect-klaytn/core/ErrorBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** An error of the service as it stands in a body. */
export type Refusal = BadRequest | InternalError | NotFound | Unauthorized

/** The answer that tells a refusal, with the status of its class. */
export const answer = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  const { code, message, requestId } = refusal
  const status = refusal instanceof BadRequest
    ? 400
    : refusal instanceof Unauthorized
    ? 401
    : refusal instanceof NotFound
    ? 404
    : 500
  return HttpServerResponse.unsafeJson({ code, message, requestId }, { status })
}

/** Whether a failure is one that the service tells as it stands. */
export const isRefusal = (failure: unknown): failure is Refusal =>
  [BadRequest, InternalError, NotFound, Unauthorized].some((one) => failure instanceof one)
