/** A worker: does the exports that are submitted to its database, until it is stopped. All settings are in its environment. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as Workers from "@effect-klaytn/exports/Workers"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"

// All workers draw from one budget.
const Worker = SqlSink.budget({ perSecond: 40 }).pipe(
  Effect.map((budget) => Workers.layer({ budget, concurrency: 4 })),
  Layer.unwrapEffect,
  // What a dead worker held is free after 15 seconds. With less, a busy machine takes work away from workers that live.
  Layer.provideMerge(Engine.layerRunner({ lockExpiration: "15 seconds", pollInterval: "200 millis" })),
  Layer.provide(Database.layerConfig()),
  Layer.provide(TransferHistory.layer().pipe(Layer.provide(ClientConfig.layerConfig()))),
  Layer.provide(FetchHttpClient.layer)
)

await Layer.build(Worker).pipe(
  Effect.tap(Effect.sync(() => console.log("ready"))),
  Effect.zipRight(Effect.never),
  Effect.scoped,
  Logger.withMinimumLogLevel(LogLevel.Fatal),
  NodeRuntime.runMain
)
