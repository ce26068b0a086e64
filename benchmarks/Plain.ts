/** What a program would do with `@effect/platform` and `effect/Schema` alone: the same contract, and no more. */
import { PageableTransfers, Transfers } from "@effect-klaytn/history/HistoryApi"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Server } from "./Server.js"

export class Plain extends Context.Tag("benchmarks/Plain")<Plain, {
  /** Counts the records on all pages of a list. */
  readonly count: (path: string) => Effect.Effect<number, unknown>
  /** Counts the transfers of one transaction. */
  readonly transfersOf: (hash: string) => Effect.Effect<number, unknown>
}>() {}

export const layer = Layer.effect(
  Plain,
  Effect.gen(function*() {
    const { accessKeyId, secretAccessKey, url } = yield* Server
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const get = (path: string) =>
      client.execute(
        HttpClientRequest.get(`${url}${path}`).pipe(
          HttpClientRequest.basicAuth(accessKeyId, secretAccessKey),
          HttpClientRequest.setHeader("x-chain-id", "1001")
        )
      )
    const page = HttpClientResponse.schemaBodyJson(PageableTransfers)
    const transfers = HttpClientResponse.schemaBodyJson(Transfers)
    return {
      count: (path) =>
        Effect.gen(function*() {
          let records = 0
          for (let cursor = "";;) {
            const found = yield* Effect.flatMap(
              get(cursor === "" ? path : `${path}&cursor=${encodeURIComponent(cursor)}`),
              page
            )
            records += found.items.length
            if (Option.isNone(found.cursor)) return records
            cursor = found.cursor.value
          }
        }),
      transfersOf: (hash) =>
        Effect.map(Effect.flatMap(get(`/v2/transfer/tx/${hash}`), transfers), ({ items }) => items.length)
    }
  })
)
