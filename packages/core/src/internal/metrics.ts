/** The metrics of `Telemetry` with their labels, each built once. */
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import type { Endpoint } from "../Endpoints.js"
import * as Telemetry from "../Telemetry.js"

interface Server {
  readonly [Telemetry.attributes.address]: string
  readonly [Telemetry.attributes.port]: number
}

const servers = new Map<Endpoint, Server>()

/** A base address as OpenTelemetry attributes: host name and port separately. */
export const serverAttributes = (endpoint: Endpoint): Server => {
  const found = servers.get(endpoint)
  if (found !== undefined) return found
  const { hostname, port, protocol } = new URL(endpoint)
  const server = {
    // An IPv6 address has brackets in a URL and none in the attribute.
    [Telemetry.attributes.address]: hostname.replace(/^\[|\]$/g, ""),
    [Telemetry.attributes.port]: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port)
  }
  servers.set(endpoint, server)
  return server
}

type Fiber = Fiber.RuntimeFiber<unknown, unknown>

interface Labels {
  readonly [name: string]: string
}

const tagged = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  labels: Labels
): Metric.Metric<Type, number, Out> =>
  Metric.taggedWithLabels(metric, Object.entries(labels).map(([name, label]) => MetricLabel.make(name, label)))

/** Updates a metric by two labels. Both have bounded cardinality, and so has the cache. */
const byTwo = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  first: string,
  second: string,
  labels: Labels
) => {
  const known = new Map<string, Map<string, Metric.Metric<Type, number, Out>>>()
  return (fiber: Fiber, one: string, two: string, value: number): void => {
    const inner = known.get(one) ?? new Map<string, Metric.Metric<Type, number, Out>>()
    const found = inner.get(two) ?? tagged(metric, { [first]: one, [second]: two, ...labels })
    if (inner.size === 0) known.set(one, inner)
    inner.set(two, found)
    found.unsafeUpdate(value, fiber.getFiberRef(FiberRef.currentMetricLabels))
  }
}

/** A finished attempt; its label is `success` or the kind of failure. */
interface Attempted {
  readonly method: string
  readonly route: string
  readonly status: number | undefined
  readonly label: string
}

const labelsOf = (endpoint: Endpoint): Labels =>
  Object.fromEntries(Object.entries(serverAttributes(endpoint)).map(([name, value]) => [name, String(value)]))

/** Makes the metrics of calls to one server; without server labels if it has no address, as in a test. */
const make = (endpoint: Endpoint | undefined) => {
  const server = endpoint === undefined ? {} : labelsOf(endpoint)
  const operations = byTwo(Telemetry.operationDuration, "operation", "outcome", { ...server, unit: "s" })
  const attempts = byTwo(Telemetry.attempts, "operation", "outcome", { ...server, unit: "{attempt}" })
  const waits = byTwo(Telemetry.waitDuration, "operation", "kind", { ...server, unit: "s" })
  const durations = new Map<string, typeof Telemetry.attemptDuration>()
  return {
    /** Records a finished operation; `outcome` is `success` or the error's tag. */
    operation: (fiber: Fiber, operation: string, outcome: string, millis: number): void =>
      operations(fiber, operation, outcome, millis / 1000),
    /** Counts an attempt. */
    attempt: (fiber: Fiber, operation: string, outcome: string): void => attempts(fiber, operation, outcome, 1),
    /** Records a wait. */
    wait: (fiber: Fiber, operation: string, kind: "retry" | "rate-limit", millis: number): void =>
      waits(fiber, operation, kind, millis / 1000),
    /** Records how long an attempt took; a missing status and a success get no label. */
    attemptDuration: (fiber: Fiber, { label, method, route, status }: Attempted, millis: number): void => {
      const key = `${method} ${route} ${status} ${label}`
      const found = durations.get(key) ?? tagged(Telemetry.attemptDuration, {
        [Telemetry.attributes.method]: method,
        [Telemetry.attributes.route]: route,
        ...server,
        unit: "s",
        ...(status === undefined ? {} : { [Telemetry.attributes.status]: String(status) }),
        ...(label === "success" ? {} : { [Telemetry.attributes.errorType]: label })
      })
      durations.set(key, found)
      found.unsafeUpdate(millis / 1000, fiber.getFiberRef(FiberRef.currentMetricLabels))
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
