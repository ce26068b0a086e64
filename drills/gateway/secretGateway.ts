/** A gateway with a wallet that says all that it can: every log level by every logger, and its spans. */
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { inspect } from "node:util"
import type { TalkativeJob } from "./secretPlaces.js"

// Written by the parent.
const { authorization, database, keyFile, node, port } = JSON.parse(process.env["DRILL_JOB"] ?? "{}") as TalkativeJob

// The parent is gone.
process.stdin.on("close", () => process.exit(1)).resume()

const traces = 3
const write = (place: number, value: unknown): void =>
  void writeSync(place, `${typeof value === "string" ? value : inspect(value, { depth: null, showHidden: true })}\n`)

const exported = { code: 0 }

const sdk = NodeSdk.layer(() => ({
  resource: { serviceName: "drill" },
  spanProcessor: new SimpleSpanProcessor({
    export: (spans: ReadonlyArray<ReadableSpan>, done) => {
      for (const { attributes, events, links, name, status } of spans) {
        write(traces, { name, attributes, events, links, status })
      }
      done(exported)
    },
    shutdown: () => Promise.resolve()
  }),
  logRecordProcessor: new SimpleLogRecordProcessor({
    exporter: {
      export: (records, done) => {
        for (const { attributes, body } of records) write(traces, { attributes, body })
        done(exported)
      },
      shutdown: () => Promise.resolve(),
      forceFlush: () => Promise.resolve()
    }
  })
}))

const loggers = [
  Logger.map(Logger.stringLogger, (line) => write(1, line)),
  Logger.map(Logger.logfmtLogger, (line) => write(1, line)),
  Logger.map(Logger.jsonLogger, (line) => write(1, line)),
  Logger.map(Logger.structuredLogger, (line) => write(1, line)),
  Logger.prettyLogger({ colors: false, mode: "tty" })
].reduce((all, one) => Layer.merge(all, Logger.add(one)), Logger.remove(Logger.defaultLogger))

const program = Effect.gen(function*() {
  const { url } = yield* Gateway.make({
    node: { url: Redacted.make(node), authorization: Redacted.make(authorization) },
    database,
    port,
    chain: 1001,
    wallet: { feePayerStyle: "document", patience: "300 millis", keyFile }
  })
  write(1, `serves at ${url}`)
  return yield* Effect.never
})

await program.pipe(
  Effect.tapErrorCause((cause) => Effect.logError("the gateway ended", Cause.squash(cause), cause)),
  Effect.scoped,
  Effect.provide([FetchHttpClient.layer, sdk, loggers, Logger.minimumLogLevel(LogLevel.All)]),
  Effect.runPromise
)
