/** Where exports and payments are stored: a SQLite file, Postgres, or a directory. */
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import type { EngineError } from "@effect-klaytn/engine/EngineError"
import * as Budget from "@effect-klaytn/exports/Budget"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { fileURLToPath } from "node:url"
import { exitOfDatabase } from "../terminal/exitCode.js"
import * as Failure from "../terminal/Failure.js"
import * as Screen from "../terminal/Screen.js"
import type { Running } from "./options.js"

/** Why a database can't be opened. */
type Opening = Pick<EngineError, "message" | "reason"> & { readonly database?: string }

/** The message of the engine, or of the payouts, says what to do. The name of the database stands in front of it once. */
export const unreachable = (name: string) => ({ database = "", message, reason }: Opening): Failure.Failure =>
  new Failure.Failure({
    message: Screen.clean(
      database !== "" && message.startsWith(`${database} `)
        ? `${name}${message.slice(database.length)}`
        : `${name} can't be opened: ${message}`
    ),
    kind: "EngineError",
    exit: exitOfDatabase[reason],
    hints: reason === "Unreachable" ? ["the same command works once the database answers"] : []
  })

/** A place that was named by an option or by the environment. */
export type Place =
  | { readonly _tag: "File"; readonly path: string }
  /** `name` is the address without user, password and parameters. */
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted; readonly name: string; readonly isSecret: boolean }

/** A place without a password. */
export const nameOf = (place: Place): string => place._tag === "File" ? place.path : place.name

/** The database at a place. What opens databases is loaded for one only. */
export const database = (place: Place) =>
  Effect.map(
    Effect.promise(() => import("@effect-klaytn/engine/Database")),
    ({ layerPostgres, layerSqlite }) =>
      Layer.mapError(
        place._tag === "Postgres" ? layerPostgres({ url: place.url }) : layerSqlite({ file: place.path }),
        unreachable(nameOf(place))
      )
  )

/** Brings the tables of an export to the version of this program. Says so in a line, and if the clocks differ. */
const prepare = Effect.fnUntraced(function*(prefix: string, name: string) {
  const { from, to } = yield* SqlSink.upgrade({ prefix })
  const { error } = yield* Screen.Screen
  if (from !== 0 && from !== to) {
    yield* error.write(`${name}: tables ${prefix}export_* upgraded from version ${from} to ${to}\n`)
  }
  const skew = yield* SqlSink.skewSeconds({ prefix })
  if (skew !== undefined) {
    yield* error.write(`${ServiceTime.describeSkew(skew, "the database")}; budgets work with the database's\n`)
  }
})

const inDatabase = Effect.fnUntraced(
  function*({ format, prefix = "", ...limits }: Running, place: Place, option: string) {
    if (format !== undefined) {
      return yield* Failure.usage("--format is for the files in a directory, and --out is a database")
    }
    const context = yield* Layer.build(yield* database(place))
    yield* Effect.provide(prepare(prefix, nameOf(place)), context)
    const make = Effect.all({ sink: SqlSink.make({ prefix }), budget: SqlSink.budget(limits, { prefix }) })
    return {
      ...(yield* Effect.provide(make, context)),
      name: nameOf(place),
      option: `${option}${prefix === "" ? "" : ` --prefix ${prefix}`}`,
      content: `tables ${prefix}transfers and ${prefix}rejected, views ${prefix}balances and ${prefix}daily`
    }
  }
)

/** An absolute path, or one that begins with a dot. */
const isPath = /^(\.{1,2}|~)?\/(?!\/)/

/** A scheme, whatever stands before it; a password before an @; `host=... password=...`. A drive letter is no scheme. */
const isAddress = /^[^\w./\\:]*[a-z][a-z0-9+.-]+:|:[^/\\]*@|\b(host|password)\s*=/i

/**
 * Reads a place. An address that can't be opened is refused without being shown, since it may hold a password, and is never
 * taken for a path.
 */
export const parsePlace = (option: string, text: string): Either.Either<Place, Failure.Failure> => {
  if (!text.includes("://") && (isPath.test(text) || !isAddress.test(text))) {
    return Either.right({ _tag: "File", path: text })
  }
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (url?.protocol === "file:" && !/^file:\/\//i.test(trimmed)) {
    return Either.right({ _tag: "File", path: trimmed.slice("file:".length) })
  }
  if (url?.protocol === "file:" && url.host === "") return Either.right({ _tag: "File", path: fileURLToPath(url) })
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || !/^\w+:\/\//.test(trimmed)) {
    return Either.left(Failure.usage(
      `${option} is an address that this command can't open; it is not shown, since it may hold a password`,
      "the address of a database is postgres://user:password@host:5432/name",
      "a path with a colon in it begins with ./"
    ))
  }
  return Either.right({
    _tag: "Postgres",
    url: Redacted.make(url.href),
    name: `postgres://${url.host}${url.pathname}`,
    isSecret: url.password !== "" || url.search !== ""
  })
}

/** The place that an option names, or the environment where it must not be seen; undefined where neither does. */
export const placeOf = Effect.fnUntraced(function*(option: string, text: string | undefined, variable: string) {
  const hidden = yield* Config.option(Config.redacted(Config.nonEmptyString(variable)))
  if (text !== undefined) return yield* parsePlace(option, text)
  return Option.isSome(hidden) ? yield* parsePlace(variable, Redacted.value(hidden.value)) : undefined
})

const outOf = ({ out }: Running) =>
  Effect.filterOrFail(
    placeOf("--out", out, "KLAYTN_EXPORT_OUT"),
    Predicate.isNotUndefined,
    () => Failure.usage("--out is not given", "such as --out history.db, --out directory, or --out postgres://...")
  )

/** Whether the place exists. A Postgres database always counts as existing. */
export const exists = Effect.fnUntraced(function*(running: Running) {
  const place = yield* outOf(running)
  const files = yield* FileSystem.FileSystem
  return place._tag === "Postgres" || (yield* files.exists(place.path))
})

/** The option that names a place, to repeat, without a password. */
const optionOf = (place: Place): string => {
  if (place._tag === "Postgres") return ` --out ${place.isSecret ? "postgres://..." : Redacted.value(place.url)}`
  return ` --out ${/^[\w./-]+$/.test(place.path) ? place.path : `'${place.path.replaceAll("'", "'\\''")}'`}`
}

/** Opens the place. */
export const open = Effect.fnUntraced(function*(running: Running) {
  const place = yield* outOf(running)
  const option = running.out === undefined ? "" : optionOf(place)
  if (place._tag === "Postgres" || /\.(db|sqlite3?)$/i.test(place.path)) {
    return yield* inDatabase(running, place, option)
  }
  if (running.prefix !== undefined) {
    return yield* Failure.usage("--prefix is for the tables of a database, and --out is a directory")
  }
  return {
    sink: yield* FileSink.make({ directory: place.path, format: running.format }),
    budget: yield* Budget.make(running),
    /** The place without a password. */
    name: place.path,
    /** The options of the place to repeat, without a password. */
    option,
    /** What is stored there, in words. */
    content: "files in parts, and manifest.json"
  }
})

export type Destination = Effect.Effect.Success<ReturnType<typeof open>>
