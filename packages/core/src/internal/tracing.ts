/** Spans, made only for a tracer that exports them. */
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** The runtime's default tracer. It exports nothing, and making a span costs as much as a call in a batch. */
const silent = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether the fiber has a tracer that exports spans. */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => fiber.currentTracer !== silent

/** Runs an effect inside a new span; under the runtime's default tracer there is none. */
export const traced = <A, E, R>(
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
