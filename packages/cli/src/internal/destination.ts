/** Where an export is stored: a SQLite file, Postgres, or a directory. */
import type { EngineError } from "@effect-klaytn/engine/EngineError"
import * as Budget from "@effect-klaytn/exports/Budget"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import type { Sink } from "@effect-klaytn/exports/Sink"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Failure from "./Failure.js"
import * as Screen from "./Screen.js"

/** The options of the place and the budget. */
export interface Running {
  readonly out: Option.Option<string>
  readonly format: Option.Option<"ndjson" | "csv">
  readonly perSecond: Option.Option<number>
  readonly perDay: Option.Option<number>
  readonly perRun: Option.Option<number>
}

export interface Destination {
  readonly sink: Sink
  readonly budget: Budget.Budget
  /** The place without a password. */
  readonly name: string
  /** The option `--out` to repeat, without a password. */
  readonly option: string
  /** What is stored there, in words. */
  readonly content: string
}

/** Loaded for a database only. */
const databases = Effect.promise(() => import("@effect-klaytn/engine/Database"))

export const unreachable = (name: string) => ({ message }: EngineError): Failure.Failure =>
  new Failure.Failure({
    message: `${name} can't be opened`,
    kind: "Destination",
    exit: "refused",
    details: [Screen.clean(message)],
    hints: ["check that the folder exists and may be written, or that the database runs and the address is right"]
  })

const limits = ({ perDay, perRun, perSecond }: Running): Budget.Limits => ({
  perSecond: Option.getOrUndefined(perSecond),
  perDay: Option.getOrUndefined(perDay),
  perRun: Option.getOrUndefined(perRun)
})

const inDatabase = (
  running: Running,
  names: { readonly name: string; readonly option: string },
  client: Layer.Layer<SqlClient, EngineError>
) =>
  Effect.gen(function*() {
    const context = yield* Effect.mapError(Layer.build(client), unreachable(names.name))
    const make = Effect.all({ sink: SqlSink.make(), budget: SqlSink.budget(limits(running)) })
    return {
      ...(yield* Effect.provide(make, context)),
      ...names,
      content: "tables transfers and rejected, views balances and daily"
    }
  })

const refuseFormat = (running: Running): Effect.Effect<void, Failure.Failure> =>
  Option.isSome(running.format)
    ? Failure.usage("--format is for the files in a directory, and --out is a database")
    : Effect.void

export const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

const placeOf = (running: Running) =>
  Effect.gen(function*() {
    const hidden = yield* Config.option(Config.redacted("KLAYTN_EXPORT_OUT"))
    const place = Option.orElse(running.out, () => Option.map(hidden, Redacted.value))
    return Option.isSome(place)
      ? place.value
      : yield* Failure.usage("--out is not given", "such as --out history.db, --out directory, or --out postgres://...")
  })

/** Whether the place exists. A Postgres database always counts as existing. */
export const exists = (running: Running) =>
  Effect.gen(function*() {
    const place = yield* placeOf(running)
    return isPostgres(place) || (yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.exists(place)))
  })

/** Opens the place. */
export const open = (
  running: Running
): Effect.Effect<Destination, unknown, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function*() {
    const text = yield* placeOf(running)
    if (isPostgres(text)) {
      yield* refuseFormat(running)
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (url === undefined) return yield* Failure.usage("--out is not the address of a Postgres database")
      const name = `postgres://${url.host}${url.pathname}`
      const option = Option.isNone(running.out) ? "" : url.password === "" ? ` --out ${text}` : " --out postgres://..."
      const { layerPostgres } = yield* databases
      return yield* inDatabase(running, { name, option }, layerPostgres({ url: Redacted.make(text) }))
    }
    const option = Option.isNone(running.out) ? "" : ` --out ${/^[\w./-]+$/.test(text) ? text : `'${text}'`}`
    if (/\.(db|sqlite3?)$/i.test(text)) {
      yield* refuseFormat(running)
      const { layerSqlite } = yield* databases
      return yield* inDatabase(running, { name: text, option }, layerSqlite({ file: text }))
    }
    const format = Option.getOrElse(running.format, () => "ndjson" as const)
    return {
      sink: yield* FileSink.make({ directory: text, format }),
      budget: yield* Budget.make(limits(running)),
      name: text,
      option,
      content: "files in parts, and manifest.json"
    }
  })
