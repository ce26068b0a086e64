/**
 * The lower bound for callers that wait in interruptible fibers: one request for all, on the SDK's HTTP client. Nothing is
 * checked, timed, limited or retried, and the answers are assumed to be in order.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Server } from "./Server.js"

interface Waiting {
  readonly address: string
  readonly resume: (balance: Effect.Effect<bigint>) => void
}

interface Answer {
  readonly result: string
}

export class Bare extends Context.Tag("benchmarks/Bare")<Bare, {
  readonly getBalance: (address: string) => Effect.Effect<bigint>
}>() {}

export const layer = Layer.effect(
  Bare,
  Effect.gen(function*() {
    const { accessKeyId, secretAccessKey, url } = yield* Server
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(`${url}/v1/klaytn`).pipe(
      HttpClientRequest.basicAuth(accessKeyId, secretAccessKey),
      HttpClientRequest.setHeader("x-chain-id", "1001")
    )
    let waiting: Array<Waiting> = []
    const send = Effect.suspend(() => {
      const calls = waiting
      waiting = []
      const body = calls.map(({ address }, i) => ({
        jsonrpc: "2.0",
        id: i + 1,
        method: "eth_getBalance",
        params: [address, "latest"]
      }))
      return client.execute(HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")).pipe(
        Effect.flatMap((response) => response.text),
        Effect.map((text): ReadonlyArray<Answer> => JSON.parse(text)),
        Effect.map((answers) =>
          calls.forEach(({ resume }, i) => resume(Effect.succeed(BigInt(answers[i]?.result ?? ""))))
        )
      )
    })
    const getBalance = (address: string) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.catchAllCause(
          restore(Effect.async<bigint>((resume) => {
            if (waiting.length === 0) Effect.runFork(Effect.zipRight(Effect.yieldNow(), send))
            waiting.push({ address, resume })
          })),
          Effect.failCause
        )
      )
    return { getBalance }
  })
)
