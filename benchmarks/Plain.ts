/**
 * What a program would do with `@effect/platform` and `effect/Schema` alone: the same contract, and no more. And the floor of anything
 * that is written with Effect: the platform's client and `JSON.parse`, and nothing is checked.
 */
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
  /** The same two of answers that are only parsed; the second of any path. */
  readonly bareCount: (path: string) => Effect.Effect<number, unknown>
  readonly bareItems: (path: string) => Effect.Effect<number, unknown>
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
    const parsed = (path: string) =>
      Effect.flatMap(get(path), (response) =>
        Effect.map(
          response.text,
          (text): { readonly items: ReadonlyArray<unknown>; readonly cursor: string } => JSON.parse(text)
        ))
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
      bareCount: (path) =>
        Effect.gen(function*() {
          let records = 0
          for (let cursor = "";;) {
            const found = yield* parsed(cursor === "" ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)
            records += found.items.length
            if (found.cursor === "") return records
            cursor = found.cursor
          }
        }),
      bareItems: (path) => Effect.map(parsed(path), ({ items }) => items.length),
      transfersOf: (hash) =>
        Effect.map(Effect.flatMap(get(`/v2/transfer/tx/${hash}`), transfers), ({ items }) => items.length)
    }
  })
)
