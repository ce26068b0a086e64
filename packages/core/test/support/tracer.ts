/** A tracer that keeps its spans. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

export interface Kept {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly events: Array<unknown>
  exit: Exit.Exit<unknown, unknown> | undefined
}

export const make = () => {
  const spans: Array<Kept> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const kept: Kept = {
        name,
        kind,
        parent: Option.getOrUndefined(Option.map(parent, (one) => one._tag === "Span" ? one.name : one.spanId)),
        attributes: {},
        events: [],
        exit: undefined
      }
      spans.push(kept)
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => {
          kept.attributes[key] = value
        },
        event: (event, time, attributes) => {
          kept.events.push([event, time, attributes])
        },
        addLinks: () => {},
        end: (_, exit) => {
          kept.exit = exit
        }
      }
      return span
    },
    context: (run) => run()
  })
  return { spans, use: Effect.withTracer(tracer) }
}
