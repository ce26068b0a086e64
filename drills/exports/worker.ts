/** A process of the drill that works on the exports that are submitted to its database, until it is killed. */
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Workers from "../../packages/exports/src/Workers.js"
import { budget, History, job, Sql, tell } from "./child.js"

await budget.pipe(
  Effect.map((budget) => Workers.layer({ budget, concurrency: job.concurrency })),
  Layer.unwrapEffect,
  Layer.provideMerge(Engine.layerRunner({
    // The least that an engine takes.
    lockExpiration: "10 seconds",
    pollInterval: "200 millis",
    shutdownTimeout: "1 second"
  })),
  Layer.provide([Sql, History]),
  Layer.build,
  Effect.tap(Effect.sync(() => tell({ works: true }))),
  Effect.zipRight(Effect.never),
  Effect.scoped,
  Logger.withMinimumLogLevel(LogLevel.Fatal),
  Effect.runPromise
)
