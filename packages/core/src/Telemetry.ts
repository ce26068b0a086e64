/**
 * The names of all spans, attributes and metrics.
 *
 * **Details**
 *
 * A call makes one operation span, named after the operation (`history.getTransfers`), and inside it one span for each
 * attempt, with a name such as `GET /v2/transfer`. Nothing else makes spans. Names follow OpenTelemetry's HTTP
 * conventions where one exists. Labels have bounded cardinality: operation names, route templates, statuses and error
 * tags, never an address, a cursor, a URL, a header or a body. Each metric has the labels `server.address` and
 * `server.port` of the service, and the label `unit` (`s` or `{attempt}`), which exporters such as
 * `@effect/opentelemetry` use as the unit. The `HttpClient`'s own span is disabled, because it carries the full URL,
 * and no trace header is sent to the service.
 *
 * Under the runtime's default tracer, which exports nothing, no spans are made. Any other tracer, such as that of
 * `@effect/opentelemetry`, gets them all.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * Attribute keys. The first block is OpenTelemetry's.
 *
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
 * All attributes that a span may have. An operation span always has operation and chain; at its end the number of
 * attempts, and on failure the error's tag. An attempt span always has method, route, address, port and chain; a resend
 * count from the second attempt on; status, code and request ID if there was an answer; and the error's tag on failure.
 *
 * @category spans
 */
export const spans = (() => ({
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
} as const))()

const seconds = MetricBoundaries.fromIterable(
  [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60]
)

/**
 * Counts attempts by `operation` and `outcome`: `success`, `HTTP 503` or another status, `redirect`, `timeout`,
 * `network`, `malformed`, `no credential`, `interrupted` (by the caller or the deadline), or `defect`.
 *
 * @category metrics
 */
export const attempts = Metric.counter("klaytn.client.attempts", {
  description: "Attempts of operations, by operation and outcome",
  incremental: true
})

/**
 * Duration of one attempt in seconds (the metric's name is OpenTelemetry's), by method and route template, by status if
 * there was an answer, and by `error.type` if it failed; the keys are those of {@link attributes}.
 *
 * @category metrics
 */
export const attemptDuration = Metric.histogram(
  "http.client.request.duration",
  seconds,
  "Duration of one HTTP attempt, in seconds"
)

/**
 * Duration of a whole operation in seconds, including waits, by `operation` and `outcome` (`success` or the error's
 * tag).
 *
 * @category metrics
 */
export const operationDuration = Metric.histogram(
  "klaytn.client.operation.duration",
  seconds,
  "Duration of one operation with its waits, in seconds"
)

/**
 * Time spent waiting in seconds, by `operation` and `kind` (`retry` or `rate-limit`).
 *
 * @category metrics
 */
export const waitDuration = Metric.histogram(
  "klaytn.client.wait.duration",
  seconds,
  "Time waited before a retry or at the rate limit, in seconds"
)

/**
 * Counts requests of several calls to a node that were refused as a whole and sent again in parts, by `kind`: the limit that the
 * refusal is taken for, `calls` or `bytes`.
 *
 * @category metrics
 */
export const splits = Metric.counter("klaytn.client.splits", {
  description: "Requests of several calls that a node refused and got again in parts, by kind of limit",
  incremental: true
})
