/**
 * The one catalogue of span, attribute and metric names.
 *
 * **Details**
 *
 * A call makes one operation span, named like the operation (`history.getTransfers`), and inside it one span for each
 * attempt, named like `GET /v2/transfer`. Nothing else makes spans. Names follow OpenTelemetry's HTTP conventions where
 * one exists; labels are bounded: operation names, route templates, statuses and error tags, never an address, a
 * cursor, a URL, a header or a body. Each metric carries its `unit` as a label, which exporters such as
 * `@effect/opentelemetry` take for the unit: `s`, or `{attempt}`, and the `server.address` and `server.port` of the service.
 * The `HttpClient`'s own span is switched off, because it carries the full URL, and no trace header is sent to the service.
 *
 * Under the runtime's own tracer, which shows its spans to nobody, none are made. Any other tracer, such as that of
 * `@effect/opentelemetry`, gets them all.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * Attribute keys. The first block is OpenTelemetry's.
 *
 * @since 0.1.0
 * @category attributes
 */
export const attributes = {
  method: "http.request.method",
  route: "url.template",
  address: "server.address",
  port: "server.port",
  status: "http.response.status_code",
  resendCount: "http.request.resend_count",
  errorType: "error.type",
  operation: "klaytn.operation",
  chainId: "klaytn.chain.id",
  attempts: "klaytn.attempts",
  serviceCode: "klaytn.service.code",
  requestId: "klaytn.request.id"
} as const

/**
 * The attributes that each span may carry, and no others. Those of the operation: always operation and chain; at its
 * end attempts, and on failure the error's tag. Those of the attempt: always method, route, address, port and chain; a resend
 * count from the second attempt on; status, code and request id when there was an answer; the error's tag on failure.
 *
 * @since 0.1.0
 * @category spans
 */
export const spans = {
  operation: [attributes.operation, attributes.chainId, attributes.attempts, attributes.errorType],
  attempt: [
    attributes.method,
    attributes.route,
    attributes.address,
    attributes.port,
    attributes.chainId,
    attributes.resendCount,
    attributes.status,
    attributes.serviceCode,
    attributes.requestId,
    attributes.errorType
  ]
} as const

const seconds = MetricBoundaries.fromIterable([
  0.005,
  0.01,
  0.025,
  0.05,
  0.075,
  0.1,
  0.25,
  0.5,
  0.75,
  1,
  2.5,
  5,
  7.5,
  10,
  30,
  60
])

/**
 * Attempts, by `operation` and `outcome`: `success`, or what the attempt came to: `HTTP 503`, `redirect`, `timeout`,
 * `network`, `malformed`, `no credential`, `interrupted` (by the caller or the deadline), or `defect`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const attempts = Metric.counter("klaytn.client.attempts", {
  description: "Attempts of operations, by operation and outcome",
  incremental: true
})

/**
 * Time of one attempt in seconds (OpenTelemetry's name), by method and route template, by status if there was an
 * answer, and by `error.type` if it failed; the keys are those of {@link attributes}.
 *
 * @since 0.1.0
 * @category metrics
 */
export const attemptDuration = Metric.histogram(
  "http.client.request.duration",
  seconds,
  "Duration of one HTTP attempt, in seconds"
)

/**
 * Time of a whole operation in seconds, waits included, by `operation` and `outcome` (`success` or the error's tag).
 *
 * @since 0.1.0
 * @category metrics
 */
export const operationDuration = Metric.histogram(
  "klaytn.client.operation.duration",
  seconds,
  "Duration of one operation with its waits, in seconds"
)

/**
 * Time waited in seconds, by `operation` and `kind` (`retry` or `rate-limit`).
 *
 * @since 0.1.0
 * @category metrics
 */
export const waitDuration = Metric.histogram(
  "klaytn.client.wait.duration",
  seconds,
  "Time waited before a retry or at the rate limit, in seconds"
)
