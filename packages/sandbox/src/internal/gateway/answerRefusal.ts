import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** An error of the service as it stands in a body. */
export type Refusal = ErrorBody.ErrorBody

const classes = [ErrorBody.BadRequest, ErrorBody.InternalError, ErrorBody.NotFound, ErrorBody.Unauthorized]

/** The answer that tells a refusal, with the status of its class. */
export const answer = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  const { code, message, requestId } = refusal
  const status = classes.find((one) => refusal instanceof one)?.status ?? ErrorBody.InternalError.status
  return HttpServerResponse.unsafeJson({ code, message, requestId }, { status })
}

/** Whether a failure is one that the service tells as it stands. */
export const isRefusal = (failure: unknown): failure is Refusal => classes.some((one) => failure instanceof one)
