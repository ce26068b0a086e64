import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import type { RequestIds } from "@effect-klaytn/service/ServiceRefusals"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** What a gateway can't do now. */
export interface Reason {
  readonly status: number
  readonly message: string
  /** Seconds after which the same request may work. */
  readonly retryAfter?: number
}

/** The answer to a request that can't be answered now, in the service's form. */
export type Unavailable = (reason: Reason) => HttpServerResponse.HttpServerResponse

export const make = (ids: RequestIds): Unavailable => ({ message, retryAfter, status }) =>
  HttpServerResponse.unsafeJson(
    { code: ServiceCode.history.internal, message, requestId: ids.next() },
    { status, headers: retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` } }
  )
