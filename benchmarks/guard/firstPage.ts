/** A program that reads the first page of a history: `bench:guard` measures its whole process. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { configOf } from "../config.js"
import { server } from "./server.js"

const pages = Effect.flatMap(TransferHistory.TransferHistory, (history) =>
  Stream.runFold(
    Stream.take(history.getTransfersByEoa.pages({ address: server.account, size: 10 }), 1),
    0,
    (records, page) => records + page.items.length
  ))
const records = await Effect.runPromise(pages.pipe(
  Effect.provide(TransferHistory.layer()),
  Effect.provide(FetchHttpClient.layer),
  Effect.provide(Layer.effect(ClientConfig.ClientConfig, configOf(server)))
))
process.stdout.write(`${records}\n`, () => process.exit())
