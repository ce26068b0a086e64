/** The metrics of `Telemetry` with their labels, each built once. */
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import type { Endpoint } from "../../Endpoints.js"
import type { Descriptor } from "../../Operation.js"
import * as Telemetry from "../../Telemetry.js"

/** A base address as OpenTelemetry attributes: host name and port separately. */
export const serverAttributes = (endpoint: Endpoint) => {
  const { hostname, port, protocol } = new URL(endpoint)
  return {
    // An IPv6 address has brackets in a URL and none in the attribute.
    [Telemetry.attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [Telemetry.attributes.port]: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port)
  }
}

type Fiber = Fiber.RuntimeFiber<unknown, unknown>

type Labels = Readonly<Record<string, string>>

/** Updates a metric by its labels. They have bounded cardinality, and so has the cache. */
const recorder = <Type, Out>(metric: Metric.Metric<Type, number, Out>, common: Labels) => {
  const known = new Map<string, Metric.Metric<Type, number, Out>>()
  return (fiber: Fiber, labels: Labels, value: number, times = 1): void => {
    const key = Object.values(labels).join(" ")
    const found = known.get(key) ?? Metric.taggedWithLabels(
      metric,
      Object.entries({ ...labels, ...common }).map(([name, label]) => MetricLabel.make(name, label))
    )
    known.set(key, found)
    const extra = fiber.getFiberRef(FiberRef.currentMetricLabels)
    for (let i = 0; i < times; i++) found.unsafeUpdate(value, extra)
  }
}

/** Makes the metrics of calls to one server; without server labels if it has no address, as in a test. */
const make = (endpoint: Endpoint | undefined) => {
  const attributes: Partial<ReturnType<typeof serverAttributes>> = endpoint === undefined
    ? {}
    : serverAttributes(endpoint)
  const server = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]))
  const seconds = { ...server, unit: "s" }
  const operations = recorder(Telemetry.operationDuration, seconds)
  const attempts = recorder(Telemetry.attempts, { ...server, unit: "{attempt}" })
  const waits = recorder(Telemetry.waitDuration, seconds)
  const durations = recorder(Telemetry.attemptDuration, seconds)
  return {
    /** The server, for spans. */
    attributes,
    /** Records a finished operation, or several that ended alike; `outcome` is `success` or the error's tag. */
    operation: (fiber: Fiber, operation: string, outcome: string, millis: number, times?: number): void =>
      operations(fiber, { operation, outcome }, millis / 1000, times),
    /** Records a wait. */
    wait: (fiber: Fiber, operation: string, kind: "retry" | "rate-limit", millis: number): void =>
      waits(fiber, { operation, kind }, millis / 1000),
    /**
     * Counts a finished attempt and records how long it took. `outcome` is `success` or the kind of failure; a missing
     * status and a success get no label.
     */
    attempt: (
      fiber: Fiber,
      { method, name, route }: Descriptor,
      outcome: string,
      status: number | undefined,
      millis: number
    ): void => {
      attempts(fiber, { operation: name, outcome }, 1)
      durations(fiber, {
        [Telemetry.attributes.method]: method,
        [Telemetry.attributes.route]: route,
        ...(status === undefined ? {} : { [Telemetry.attributes.status]: String(status) }),
        ...(outcome === "success" ? {} : { [Telemetry.attributes.errorType]: outcome })
      }, millis / 1000)
    }
  }
}

const known = new Map<Endpoint | undefined, ReturnType<typeof make>>()

/** The metrics of calls to a server, made at first use. */
export const of = (endpoint: Endpoint | undefined): ReturnType<typeof make> => {
  const found = known.get(endpoint) ?? make(endpoint)
  known.set(endpoint, found)
  return found
}
