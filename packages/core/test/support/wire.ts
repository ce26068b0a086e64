/** A wire that records what is sent and answers from a script, and the service of two endpoints at its other end. */
import * as Operation from "@effect-klaytn/core/Operation"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** On the clock, in milliseconds. */
  readonly at: number
}

/** What the other end does with one request; a failure is the cause of a broken connection. */
export type Step = (sent: Sent) => Effect.Effect<Response, unknown>

export interface Wire {
  readonly client: HttpClient.HttpClient
  readonly sent: ReadonlyArray<Sent>
  /** How many exchanges were interrupted. */
  readonly interrupted: () => number
}

const bodyText = (body: { readonly _tag: string; readonly body?: unknown }): string | undefined =>
  body.body instanceof Uint8Array ? new TextDecoder().decode(body.body) : undefined

/** Answers the requests with the steps in turn; the last one answers all that follow. */
export const make = (...steps: ReadonlyArray<Step>): Wire => {
  const sent: Array<Sent> = []
  let interrupted = 0
  const client = HttpClient.make((request, url) =>
    Effect.gen(function*() {
      const step = steps[Math.min(sent.length, steps.length - 1)]
      const one: Sent = {
        method: request.method,
        url: url.toString(),
        headers: { ...request.headers },
        body: bodyText(request.body),
        at: yield* Clock.currentTimeMillis
      }
      sent.push(one)
      if (step === undefined) return yield* Effect.dieMessage("the wire was not to be used")
      const response = yield* Effect.mapError(
        step(one),
        (cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
      )
      return HttpClientResponse.fromWeb(request, response)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted++)))
  )
  return { client, sent, interrupted: () => interrupted }
}

/** An answer with this text as its body. */
export const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Step => () =>
  Effect.sync(() => new Response(body === "" ? null : body, { status, headers }))

/** An answer with this value as its JSON body. */
export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  text(status, JSON.stringify(body), { "content-type": "application/json", ...headers })

/** A connection that breaks before there is an answer. */
export const broken = (cause: unknown): Step => () => Effect.fail(cause)

/** A network failure as Node tells it. */
export const networkError = (code: string, more: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("broken"), { code, ...more }) })

/** An answer that breaks off in the middle of its body. */
export const cutOff = (status: number): Step => () =>
  Effect.sync(() => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("{\"name\": \"a"))
        controller.error(networkError("UND_ERR_SOCKET"))
      }
    })
    return new Response(body, { status, headers: { "content-type": "application/json" } })
  })

/** Nothing ever comes. */
export const silence: Step = () => Effect.never

/** The same after a while. */
export const after = (duration: Duration.DurationInput, step: Step): Step => (sent) =>
  Effect.delay(step(sent), duration)

export const Thing = Schema.Struct({ name: Schema.String, count: Schema.Int })

export const thing = { name: "a thing", count: 1 }

/** The good answer. */
export const ok: Step = json(200, thing)

export const getThing = Operation.of("history").get("getThing", "/v2/thing/:id", {
  path: { id: Schema.String },
  urlParams: {
    size: Schema.optional(Schema.NumberFromString.pipe(Schema.nonNegative())),
    kind: Schema.optional(Schema.String)
  },
  headers: { "x-krn": Schema.optional(Schema.String) },
  success: Thing
})

/** The call that most tests make. */
export const theThing = { path: { id: "1" }, urlParams: {}, headers: {} }

/** A call that changes something, of the given safety; `once` is what an operation is that says nothing of it. */
export const putThing = (safety: Operation.Safety) =>
  Operation.of("history").post("putThing", "/v2/thing", {
    payload: Schema.Struct({ value: Schema.BigInt }),
    success: Thing,
    ...(safety === "once" ? {} : { safety })
  })

export const aValue = { payload: { value: 7n } }
