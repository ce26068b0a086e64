/**
 * Records a call as a span and in the metrics, for protocols on top of `ServiceClient` that have calls of their own.
 */
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import type { Endpoint } from "./Endpoints.js"
import * as metrics from "./internal/calls/metrics.js"

/**
 * Runs an effect inside a new span. Under the runtime's default tracer, which exports nothing, no span is made and
 * `use` gets `undefined`.
 *
 * **Example** (an operation of your own)
 *
 * ```ts
 * import * as Recording from "@effect-klaytn/core/Recording"
 * import * as Effect from "effect/Effect"
 *
 * export const traced = Effect.withFiberRuntime<number>((fiber) =>
 *   Recording.inSpan(fiber, "mine.getAnswer", () => ({ attributes: { question: "all" } }), () => Effect.succeed(42))
 * )
 * ```
 *
 * @category spans
 */
export const inSpan = <A, E, R>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  name: string,
  options: () => Tracer.SpanOptions,
  use: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  isTraced(fiber)
    ? Effect.useSpan(
      name,
      { ...options(), captureStackTrace: false },
      (span) => Effect.provideService(use(span), Tracer.ParentSpan, span)
    )
    : use(undefined)

/** The runtime's default tracer. It exports nothing, and making a span costs as much as a call in a batch. */
const silent = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/**
 * Whether the fiber has a tracer that exports spans. Without one, code that makes very many calls can skip {@link
 * inSpan}.
 *
 * @category spans
 */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => fiber.currentTracer !== silent

/**
 * Records a finished operation in `Telemetry.operationDuration`. `outcome` is `success` or the error's tag, `millis` is
 * the time it took, and `endpoint` is the base address of the service, if there is one. `times` is the number of operations
 * that ended alike, 1 by default.
 *
 * @category metrics
 */
export const operation = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  endpoint: Endpoint | undefined,
  operation: string,
  outcome: string,
  millis: number,
  times?: number
): void => metrics.of(endpoint).operation(fiber, operation, outcome, millis, times)
