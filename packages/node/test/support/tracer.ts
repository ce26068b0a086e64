/** A tracer that keeps its spans, with their links. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

export interface Kept {
  readonly name: string
  readonly id: string
  readonly parent: string | undefined
  readonly links: ReadonlyArray<string>
  readonly attributes: Record<string, unknown>
}

export const make = () => {
  const spans: Array<Kept> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const kept: Kept = {
        name,
        id: `${name} #${spans.length}`,
        parent: Option.getOrUndefined(Option.map(parent, (one) => one.spanId)),
        links: links.map(({ span }) => span.spanId),
        attributes: {}
      }
      spans.push(kept)
      return {
        _tag: "Span",
        name,
        spanId: kept.id,
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
        event: () => {},
        addLinks: () => {},
        end: () => {}
      }
    },
    context: (run) => run()
  })
  return { spans, use: Effect.withTracer(tracer) }
}
