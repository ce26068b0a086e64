/** The drill of garbage, for the command and for the test. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { inspect } from "node:util"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import { type Answer, garbage } from "./garbageBodies.js"
import { authorization, type Call, calls, results, secrets } from "./garbageCalls.js"

/** Options of the drill. */
export interface Options {
  readonly cases: number
  readonly seed: string
  /** Time in milliseconds after which a call counts as hanging. */
  readonly patience?: number | undefined
  /** Stops before a case once this many seconds have passed. */
  readonly seconds?: number | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

/** The result of a case. */
export type Kind = "value" | "error" | "defect" | "hang" | "leak" | "flood"

/** A case that failed. */
export interface Fault {
  readonly kind: Exclude<Kind, "value" | "error">
  readonly case: number
  readonly call: string
  readonly what: string
}

export interface Outcome {
  readonly counts: Readonly<Record<Kind, number>>
  readonly cases: number
  readonly calls: number
  /** Answers with garbage. */
  readonly bodies: number
  readonly faults: ReadonlyArray<Fault>
  readonly slowestMillis: number
  readonly slowest: string
  readonly maxBytes: number
}

/** The most that an error may print, in any of its forms. */
const longest = 40_000

/** Control characters except line feeds, and characters that change the writing direction. */
const isControl = (text: string): boolean => /(?!\n)[\p{Cc}\u202a-\u202e]/u.test(text)

/** Every text as which an error may be printed. */
const printed = (cause: Cause.Cause<unknown>, error: unknown): ReadonlyArray<string> => [
  Predicate.hasProperty(error, "message") ? String(error.message) : "",
  JSON.stringify(error) ?? "",
  inspect(error, { depth: 8 }),
  Cause.pretty(cause)
]

/** Classifies an outcome; says why if it is bad. */
const judge = (exit: Exit.Exit<unknown, unknown>): readonly [Kind, string] => {
  if (Exit.isSuccess(exit)) return ["value", ""]
  const { cause } = exit
  if (!Cause.isFailType(cause)) return ["defect", Cause.pretty(cause).slice(0, 400)]
  const { error } = cause
  if (error === hung) return ["hang", "no end in time"]
  if (!Predicate.hasProperty(error, "_tag") || !(error instanceof Error)) {
    return ["defect", `not an error of this SDK: ${inspect(error).slice(0, 200)}`]
  }
  try {
    const forms = printed(cause, error)
    const leaked = forms.find((form) => secrets.some((secret) => form.includes(secret)))
    if (leaked !== undefined) return ["leak", `${String(error._tag)} shows the credential`]
    if (isControl(forms[0] ?? "")) return ["leak", `${String(error._tag)} has control characters in its message`]
    const size = forms.reduce((sum, form) => sum + form.length, 0)
    return size > longest ? ["flood", `${String(error._tag)} prints as ${size} characters`] : ["error", ""]
  } catch (thrown) {
    return ["defect", `printing threw: ${inspect(thrown).slice(0, 200)}`]
  }
}

const hung = { _tag: "Hung" } as const

const isRequest = (value: unknown): value is { readonly id: unknown; readonly method: string } =>
  Predicate.hasProperty(value, "method") && typeof value.method === "string"

const rpc = (request: unknown): unknown =>
  isRequest(request) ? { jsonrpc: "2.0", id: request.id, result: results.get(request.method) ?? null } : null

/** The good answer to a request: by the JSON-RPC method, or that of the call. */
const good = (body: string | undefined, answer: unknown): unknown => {
  if (body === undefined || !body.includes("\"jsonrpc\"")) return answer
  const request: unknown = JSON.parse(body)
  if (!Array.isArray(request)) return rpc(request)
  // A node may answer a batch in any order.
  return request.map(rpc).reverse()
}

const bodyOf = (body: { readonly _tag: string; readonly body?: unknown }): string | undefined =>
  body.body instanceof Uint8Array ? new TextDecoder().decode(body.body) : undefined

const response = ({ body, contentType, status }: Answer): Response =>
  new Response(status === 204 || status === 304 ? null : body, {
    status,
    headers: contentType === undefined || contentType === "é" ? {} : { "content-type": contentType }
  })

/** CPU time of this process: the cost of a call, however busy the machine is. */
const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Runs cases, the calls in turn. Its number and the seed determine a case. */
export const garbageRuns = ({ cases, onProgress, patience = 40_000, seconds = Infinity, seed }: Options) =>
  Effect.gen(function*() {
    let current: { readonly random: Random; readonly answer: unknown } = { random: new Random(seed), answer: null }
    let bodies = 0
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        const { answer, random } = current
        const body = bodyOf(request.body)
        const rest = good(body, answer)
        // Some requests of a call that makes several get good answers, so that the later ones are reached.
        const isGood = random.fraction() < 0.1
        if (!isGood) bodies++
        const reply = isGood
          ? { status: 200, contentType: "application/json", body: JSON.stringify(rest) }
          : garbage(random, rest, authorization)
        return HttpClientResponse.fromWeb(request, response(reply))
      })
    )
    const all = yield* Effect.provideService(calls, HttpClient.HttpClient, client)
    const counts: Record<Kind, number> = { value: 0, error: 0, defect: 0, hang: 0, leak: 0, flood: 0 }
    const faults: Array<Fault> = []
    let slowestMillis = 0
    let slowest = ""
    let maxBytes = 0
    const end = performance.now() + seconds * 1000
    let done = 0
    for (let index = 0; index < cases && performance.now() < end; index++) {
      const call = all[index % all.length]
      if (call === undefined) break
      done++
      current = { random: new Random(`${seed} ${index}`), answer: call.answer }
      const begin = cpuMillis()
      const exit = yield* Effect.exit(
        Effect.timeoutFail(Effect.suspend(() => call.run), { duration: patience, onTimeout: () => hung })
      )
      const millis = cpuMillis() - begin
      if (millis > slowestMillis) {
        slowestMillis = millis
        slowest = `${call.name}, case ${index}`
      }
      const [kind, what] = judge(exit)
      counts[kind]++
      if (kind !== "value" && kind !== "error") faults.push({ kind, case: index, call: call.name, what })
      if (index % 100 === 99) {
        maxBytes = Math.max(maxBytes, process.memoryUsage().rss)
        onProgress?.(index + 1)
      }
    }
    const outcome: Outcome = {
      counts,
      cases: done,
      calls: all.length,
      bodies,
      faults,
      slowestMillis,
      slowest,
      maxBytes
    }
    return outcome
  })

/** Calls that misbehave on purpose: the drill must notice each. */
const canaries: ReadonlyArray<Call & { readonly kind: Fault["kind"] }> = [
  { name: "canary: throws", kind: "defect", answer: null, run: Effect.sync(() => JSON.parse("{")) },
  { name: "canary: fails with a text", kind: "defect", answer: null, run: Effect.fail("text") },
  { name: "canary: never ends", kind: "hang", answer: null, run: Effect.never },
  { name: "canary: tells the secret", kind: "leak", answer: null, run: Effect.fail(canary(`no ${authorization}`)) },
  { name: "canary: forges a line", kind: "leak", answer: null, run: Effect.fail(canary("a\rb")) },
  { name: "canary: prints too much", kind: "flood", answer: null, run: Effect.fail(canary("x".repeat(longest))) }
]

function canary(message: string): Error {
  return Object.assign(new Error(message), { _tag: "Canary" })
}

/** The canaries that were not noticed. */
export const selfCheck = Effect.gen(function*() {
  const missed: Array<string> = []
  for (const { kind, ...call } of canaries) {
    const exit = yield* Effect.exit(
      Effect.timeoutFail(Effect.suspend(() => call.run), { duration: 50, onTimeout: () => hung })
    )
    if (judge(exit)[0] !== kind) missed.push(call.name)
  }
  return missed
})
