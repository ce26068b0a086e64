/** The metrics of the catalogue with their labels, each put together once. */
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Telemetry from "../Telemetry.js"

type Fiber = Fiber.RuntimeFiber<unknown, unknown>

interface Labels {
  readonly [name: string]: string
}

const tagged = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  labels: Labels
): Metric.Metric<Type, number, Out> =>
  Metric.taggedWithLabels(metric, Object.entries(labels).map(([name, label]) => MetricLabel.make(name, label)))

/** Updates of a metric by two labels, which are bounded, and so is what is kept of them. */
const byTwo = <Type, Out>(metric: Metric.Metric<Type, number, Out>, first: string, second: string, unit: string) => {
  const known = new Map<string, Map<string, Metric.Metric<Type, number, Out>>>()
  return (fiber: Fiber, one: string, two: string, value: number): void => {
    const inner = known.get(one) ?? new Map<string, Metric.Metric<Type, number, Out>>()
    const found = inner.get(two) ?? tagged(metric, { [first]: one, [second]: two, unit })
    if (inner.size === 0) known.set(one, inner)
    inner.set(two, found)
    found.unsafeUpdate(value, fiber.getFiberRef(FiberRef.currentMetricLabels))
  }
}

const operations = byTwo(Telemetry.operationDuration, "operation", "outcome", "s")
const attempts = byTwo(Telemetry.attempts, "operation", "outcome", "{attempt}")
const waits = byTwo(Telemetry.waitDuration, "operation", "kind", "s")

/** The end of an operation; `outcome` is `success` or the error's tag. */
export const operation = (fiber: Fiber, operation: string, outcome: string, millis: number): void =>
  operations(fiber, operation, outcome, millis / 1000)

/** One attempt more. */
export const attempt = (fiber: Fiber, operation: string, outcome: string): void =>
  attempts(fiber, operation, outcome, 1)

/** Time spent waiting. */
export const wait = (fiber: Fiber, operation: string, kind: "retry" | "rate-limit", millis: number): void =>
  waits(fiber, operation, kind, millis / 1000)

const durations = new Map<string, typeof Telemetry.attemptDuration>()

/** How long an attempt took; without a label that it has not. */
export const attemptDuration = (
  fiber: Fiber,
  labels: {
    readonly method: string
    readonly route: string
    readonly host: string
    readonly status: number | undefined
    readonly errorType: string | undefined
  },
  millis: number
): void => {
  const { errorType, host, method, route, status } = labels
  const key = `${method} ${route} ${host} ${status} ${errorType}`
  const found = durations.get(key) ?? tagged(Telemetry.attemptDuration, {
    [Telemetry.attributes.method]: method,
    [Telemetry.attributes.route]: route,
    [Telemetry.attributes.host]: host,
    unit: "s",
    ...(status === undefined ? {} : { [Telemetry.attributes.status]: String(status) }),
    ...(errorType === undefined ? {} : { [Telemetry.attributes.errorType]: errorType })
  })
  durations.set(key, found)
  found.unsafeUpdate(millis / 1000, fiber.getFiberRef(FiberRef.currentMetricLabels))
}
