/** Records a call in spans and metrics: the operation as a whole, and each of its attempts. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { now } from "../../Deadline.js"
import * as Recording from "../../Recording.js"
import type { ServiceError } from "../../ServiceError.js"
import * as Telemetry from "../../Telemetry.js"
import type { ActiveCall, CallTrace, Failed } from "./activeCall.js"
import { AttemptFailed } from "./answer.js"
import * as metrics from "./metrics.js"

/** Records the whole operation. */
export const operation = <A>(
  { clock, endpoint, fiber, operation: { name }, settings: { chain }, trace }: ActiveCall<A>,
  attempts: Effect.Effect<A, ServiceError>
): Effect.Effect<A, ServiceError> => {
  const since = now(clock)
  const options = (): Tracer.SpanOptions => ({
    attributes: { [Telemetry.attributes.operation]: name, [Telemetry.attributes.chainId]: chain }
  })
  return Recording.inSpan(fiber, name, options, (span) => {
    const end = (failure?: string): void => {
      span?.attribute(Telemetry.attributes.attempts, trace.attempts.length + (failure === undefined ? 1 : 0))
      if (failure !== undefined) span?.attribute(Telemetry.attributes.errorType, failure)
      metrics.of(endpoint).operation(fiber, name, failure ?? "success", now(clock) - since)
    }
    return Effect.tapBoth(attempts, {
      onFailure: ({ _tag }) => Effect.sync(() => end(_tag)),
      onSuccess: () => Effect.sync(() => end())
    })
  })
}

/** Records an attempt, in the trace of the call too. */
export const attempt = <A>(
  { clock, endpoint, fiber, operation, settings: { chain }, trace }: ActiveCall<A>,
  attempt: Effect.Effect<A, Failed>
): Effect.Effect<A, Failed> =>
  Effect.suspend(() => {
    const since = now(clock)
    const resendCount = trace.attempts.length
    trace.beginAttempt(since)
    const options = (): Tracer.SpanOptions => ({
      kind: "client",
      attributes: {
        [Telemetry.attributes.method]: operation.method,
        [Telemetry.attributes.route]: operation.route,
        ...metrics.of(endpoint).attributes,
        [Telemetry.attributes.chainId]: chain,
        ...(resendCount === 0 ? {} : { [Telemetry.attributes.resendCount]: resendCount })
      }
    })
    return Recording.inSpan(fiber, `${operation.method} ${operation.route}`, options, (span) =>
      Effect.onExit(attempt, (exit) =>
        Effect.sync(() => {
          const millis = now(clock) - since
          trace.end(since + millis)
          const { failure, label } = outcomeOf(exit)
          metrics.of(endpoint).attempt(fiber, operation, label, trace.status, millis)
          if (span !== undefined) {
            describe(span, trace, failure)
          }
        })))
  })

const outcomeOf = <A>(exit: Exit.Exit<A, Failed>): { readonly label: string; readonly failure?: AttemptFailed } => {
  if (Exit.isSuccess(exit)) return { label: "success" }
  const failed = Cause.failureOption(exit.cause)
  if (Option.isNone(failed)) return { label: Cause.isInterrupted(exit.cause) ? "interrupted" : "defect" }
  const failure = failed.value
  return failure instanceof AttemptFailed
    ? { label: failure.label ?? failure.message, failure }
    : { label: "interrupted" }
}

const describe = (span: Tracer.Span, { status }: CallTrace, failure: AttemptFailed | undefined): void => {
  if (status !== undefined) span.attribute(Telemetry.attributes.status, status)
  if (failure === undefined) return
  const { facts: { code, requestId } = {}, label, message } = failure
  span.attribute(Telemetry.attributes.errorType, label ?? message)
  if (code !== undefined) span.attribute(Telemetry.attributes.serviceCode, code)
  if (requestId !== undefined) span.attribute(Telemetry.attributes.requestId, requestId)
}
