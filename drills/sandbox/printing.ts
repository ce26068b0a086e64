/** Every way in which a program shows an outcome, and what a tracer's exporter receives of it. */
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { InMemoryLogRecordExporter, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

/** A text and what printed it. */
export interface Printed {
  readonly by: string
  readonly text: string
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => typeof part === "bigint" ? String(part) : part) ?? ""

const ofValue = (name: string, value: unknown): ReadonlyArray<Printed> => [
  { by: `${name} by String`, text: String(value) },
  { by: `${name} by JSON.stringify`, text: json(value) },
  { by: `${name} by inspect`, text: inspect(value) },
  { by: `${name} by inspect, all of it`, text: inspect(value, { depth: null, showHidden: true, getters: true }) }
]

const ofError = (error: unknown): ReadonlyArray<Printed> => [
  ...ofValue("error", error),
  ...(error instanceof Error
    ? [
      { by: "message", text: error.message },
      { by: "stack", text: error.stack ?? "" },
      { by: "cause", text: inspect(error.cause, { depth: null, showHidden: true }) },
      { by: "fields", text: json({ ...error }) }
    ]
    : []),
  ...(ServiceError.isServiceError(error)
    ? [
      { by: "ServiceError.format", text: ServiceError.format(error) },
      { by: "ServiceError encoded", text: json(Schema.encodeSync(ServiceError.AnyError)(error)) }
    ]
    : [])
]

/** Every text into which a program can turn an outcome. */
export const ofExit = (exit: Exit.Exit<unknown, unknown>): ReadonlyArray<Printed> =>
  Exit.isSuccess(exit) ? [] : [
    { by: "exit by String", text: String(exit) },
    { by: "exit by JSON.stringify", text: json(exit) },
    { by: "exit by inspect", text: inspect(exit) },
    { by: "cause by JSON.stringify", text: json(exit.cause) },
    { by: "cause by inspect, all of it", text: inspect(exit.cause, { depth: null, showHidden: true, getters: true }) },
    { by: "Cause.pretty", text: Cause.pretty(exit.cause) },
    { by: "Cause.pretty with causes", text: Cause.pretty(exit.cause, { renderErrorCause: true }) },
    ...Cause.prettyErrors(exit.cause).map((error) => ({ by: "Cause.prettyErrors", text: inspect(error) })),
    ...Array.from(Cause.failures(exit.cause), ofError).flat(),
    ...Array.from(Cause.defects(exit.cause), ofError).flat()
  ]

/** A console that keeps what is written. */
const consoleInto = (write: (text: string) => void): Console.Console => {
  const line = (...parts: ReadonlyArray<unknown>): void =>
    write(parts.map((part) => typeof part === "string" ? part : inspect(part)).join(" "))
  const quiet = (): void => undefined
  const unsafe: Console.UnsafeConsole = {
    assert: line,
    clear: quiet,
    count: line,
    countReset: quiet,
    debug: line,
    dir: line,
    dirxml: line,
    error: line,
    group: line,
    groupCollapsed: line,
    groupEnd: quiet,
    info: line,
    log: line,
    table: line,
    time: quiet,
    timeEnd: quiet,
    timeLog: line,
    trace: line,
    warn: line
  }
  const told = (...parts: ReadonlyArray<unknown>) => Effect.sync(() => line(...parts))
  return {
    [Console.TypeId]: Console.TypeId,
    assert: told,
    clear: Effect.void,
    count: told,
    countReset: () => Effect.void,
    debug: told,
    dir: told,
    dirxml: told,
    error: told,
    group: told,
    groupEnd: Effect.void,
    info: told,
    log: told,
    table: told,
    time: () => Effect.void,
    timeEnd: () => Effect.void,
    timeLog: told,
    trace: told,
    warn: told,
    unsafe
  }
}

/** What loggers and exporters received. */
export interface Recorder {
  /** Runs an effect under every logger and exporter, and logs its outcome. */
  readonly record: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Exit.Exit<A, E>, never, R>
  /** Texts since the last call. */
  readonly take: () => ReadonlyArray<Printed>
}

/** Effect's own loggers, and OpenTelemetry's exporters for spans and logs. */
export const recorder: Effect.Effect<{ readonly recorder: Recorder; readonly layer: Layer.Layer<never> }> = Effect.sync(
  () => {
    let lines: Array<Printed> = []
    const keep = (by: string) => (text: unknown): void =>
      void lines.push({ by, text: typeof text === "string" ? text : `${inspect(text, { depth: null })} ${json(text)}` })
    const spans = new InMemorySpanExporter()
    const records = new InMemoryLogRecordExporter()
    const loggers = [
      Logger.map(Logger.stringLogger, keep("the string logger")),
      Logger.map(Logger.logfmtLogger, keep("the logfmt logger")),
      Logger.map(Logger.jsonLogger, keep("the JSON logger")),
      Logger.map(Logger.structuredLogger, keep("the structured logger")),
      Logger.prettyLogger({ colors: false, mode: "tty" })
    ].reduce((all, one) => Layer.merge(all, Logger.add(one)), Logger.remove(Logger.defaultLogger))
    const sdk = NodeSdk.layer(() => ({
      resource: { serviceName: "drill" },
      spanProcessor: new SimpleSpanProcessor(spans),
      logRecordProcessor: new SimpleLogRecordProcessor({ exporter: records })
    }))
    const console = consoleInto(keep("the pretty logger"))
    return {
      layer: Layer.mergeAll(sdk, loggers, Logger.minimumLogLevel(LogLevel.All)),
      recorder: {
        record: (effect) =>
          Effect.exit(effect).pipe(
            Effect.tap((exit) =>
              Exit.isSuccess(exit)
                ? Effect.void
                : Effect.logError(`it failed: ${Cause.squash(exit.cause)}`, Cause.squash(exit.cause), exit.cause)
            ),
            Effect.withSpan("drill"),
            Effect.withConsole(console)
          ),
        take: () => {
          const told = lines
          lines = []
          for (const { attributes, events, links, name, status } of spans.getFinishedSpans()) {
            told.push({ by: "the exporter of spans", text: json({ attributes, events, links, name, status }) })
          }
          for (const { attributes, body, severityText } of records.getFinishedLogRecords()) {
            told.push({ by: "the exporter of logs", text: json({ attributes, body, severityText }) })
          }
          spans.reset()
          records.reset()
          return told
        }
      }
    }
  }
)

/** Names and labels of all metrics. */
export const metrics: Effect.Effect<Printed> = Effect.map(Metric.snapshot, (pairs) => ({
  by: "the metrics",
  text: json(pairs.map(({ metricKey }) => ({ name: metricKey.name, tags: metricKey.tags })))
}))
