/** A runner of the drill, as a process of its own: `runner.ts NAMESPACE`, the database in `KLAYTN_DATABASE_URL`. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { OrderLayer } from "./work.js"

const [namespace] = process.argv.slice(2)

await OrderLayer.pipe(
  Layer.provideMerge(Engine.layerRunner({
    namespace,
    lockExpiration: "10 seconds",
    pollInterval: "200 millis",
    shutdownTimeout: "1 second"
  })),
  Layer.provide(Database.layerConfig()),
  Layer.build,
  Effect.zipRight(Effect.sync(() => process.stdout.write("runs\n"))),
  Effect.zipRight(Effect.never),
  Effect.scoped,
  Logger.withMinimumLogLevel(LogLevel.Fatal),
  Effect.runPromise
)
