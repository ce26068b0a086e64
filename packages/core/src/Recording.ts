/**
 * Telling the tracer and the metrics of a call: for protocols on top of `ServiceClient` whose calls are not its own.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import type { Endpoint } from "./Endpoints.js"
import * as measure from "./internal/measure.js"
import * as tracing from "./internal/tracing.js"

/**
 * Runs an effect inside a span of its own. Under the runtime's own tracer, which shows its spans to nobody, there is
 * none, and `use` gets nothing.
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
 * @since 0.1.0
 * @category spans
 */
export const inSpan: <A, E, R>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  name: string,
  options: () => Tracer.SpanOptions,
  use: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R> = tracing.traced

/**
 * Whether anybody sees the spans of a fiber: whoever makes very many calls can leave {@link inSpan} out where not.
 *
 * @since 0.1.0
 * @category spans
 */
export const isTraced: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => boolean = tracing.isTraced

/**
 * Books the end of an operation in `Telemetry.operationDuration`; `outcome` is `success` or the error's tag, `millis`
 * the time it took, `endpoint` the base address of the service if there is one.
 *
 * @since 0.1.0
 * @category metrics
 */
export const operation: (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  endpoint: Endpoint | undefined,
  operation: string,
  outcome: string,
  millis: number
) => void = (fiber, endpoint, operation, outcome, millis) =>
  measure.of(endpoint).operation(fiber, operation, outcome, millis)
