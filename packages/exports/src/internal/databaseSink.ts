import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as DatabaseTime from "@effect-klaytn/store/DatabaseTime"
import * as StoredJson from "@effect-klaytn/store/StoredJson"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Budget from "../Budget.js"
import { Manifest } from "../Manifest.js"
import type { Plan } from "../Plan.js"
import {
  type Id,
  isContinuation,
  isSameExport,
  type Page,
  type Part,
  type Session,
  type Sink,
  SinkError,
  WindowState
} from "../Sink.js"
import * as columnsOf from "./columns.js"
import * as contents from "./databaseContents.js"
import * as joining from "./joining.js"
import * as migrations from "./migrations.js"
import { siblingsOf } from "./siblings.js"
import * as sqlSchema from "./sqlSchema.js"
import { again } from "./state.js"
import * as storageFault from "./storageFault.js"
import * as storedPlan from "./storedPlan.js"
import * as tables from "./tables.js"

const io = <A, R>(effect: Effect.Effect<A, SqlError | SinkError, R>): Effect.Effect<A, SinkError, R> =>
  effect.pipe(
    // The client makes a commit that fails a defect.
    Effect.catchSomeDefect((defect) => defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()),
    storageFault.io
  )

const json = <A, I>(fields: Schema.Schema<A, I>) =>
  StoredJson.schema({ name: "the state of a window", version: 1, fields })

const StateText = json(WindowState)

const encodeState = Schema.encodeSync(StateText)

const unreadable = () =>
  new SinkError({ reason: "io", problem: "the stored export can't be read; was it written by another version?" })

const decodeCounted = flow(
  Schema.decodeUnknown(json(WindowState.omit("checkpoint", "equals", "reading"))),
  Effect.mapError(unreadable)
)

const decodeState = flow(Schema.decodeUnknown(StateText), Effect.mapError(unreadable))

/** What comes before the names of the tables. */
interface Options {
  readonly prefix?: string | undefined
}

export const readPrefix = ({ prefix = "" }: Options): Effect.Effect<string, InvalidInput> =>
  /^(?:[a-z][a-z0-9_]{0,30})?$/.test(prefix) ? Effect.succeed(prefix) : InvalidInput.at(
    "exports.sqlSink",
    ["prefix"],
    "a prefix begins with a letter and has at most 31 lower-case letters, digits and _"
  )

/** The database of an export. */
class Database {
  readonly dialect: migrations.Dialect

  constructor(readonly sql: SqlClient, readonly prefix: string) {
    this.dialect = migrations.dialectOf(sql)
  }

  /** Runs a statement with `?` for its parameters. */
  readonly query = (text: string, parameters: ReadonlyArray<unknown> = []) => {
    let count = 0
    return this.sql.unsafe<Record<string, unknown>>(
      this.dialect === "pg" ? text.replaceAll("?", () => `$${++count}`) : text,
      parameters
    )
  }

  #queries(statements: ReadonlyArray<string>) {
    return Effect.forEach(statements, (statement) => this.query(statement), { discard: true })
  }

  /**
   * The time in microseconds, as SQL: in Postgres the server's, which all processes share. A SQLite file is on this machine,
   * whose clock counts.
   */
  get micros(): Effect.Effect<string> {
    return this.dialect === "pg"
      ? Effect.succeed(`floor(${DatabaseTime.postgres} * 1000000)::bigint`)
      : Effect.map(Clock.currentTimeMillis, (millis) => String(Math.round(millis * 1000)))
  }

  /** The database's time in milliseconds. */
  get millis(): Effect.Effect<number, SqlError> {
    return this.micros.pipe(
      Effect.flatMap((micros) => this.query(`SELECT ${micros} AS now`)),
      Effect.map(([found]) => Number(found?.["now"]) / 1000)
    )
  }

  /** By how many seconds the database's clock is ahead of this machine's, if that is more than a minute either way. */
  skew(): Effect.Effect<number | undefined, SinkError> {
    return io(
      Effect.zipWith(
        this.millis,
        Clock.currentTimeMillis,
        (millis, own) => ServiceTime.skewSeconds({ offsetMillis: millis - own, isReal: true })
      )
    )
  }

  /** Brings the tables of the export to the version of this program. What a newer program has stored is refused first. */
  prepare(): Effect.Effect<{ readonly from: number; readonly to: number }, SinkError> {
    return io(Effect.gen(this, function*() {
      const { prefix, sql } = this
      const known = yield* tables.Known
      if ((yield* migrations.installed(sql, prefix, known)) > 0) yield* this.storedPlan()
      if (this.dialect === "sqlite") yield* this.query("PRAGMA journal_mode = WAL")
      const { from, to } = yield* migrations.upgrade(sql, prefix, known)
      return { from, to }
    }))
  }

  /** Logs what {@link prepare} upgraded. */
  prepareLogged(): Effect.Effect<void, SinkError> {
    return Effect.flatMap(this.prepare(), ({ from, to }) =>
      Effect.when(
        Effect.logInfo(`exports: the tables ${this.prefix}export_* were upgraded from version ${from} to ${to}`),
        () => from > 0 && from < to
      ))
  }

  /** Makes what is missing of the tables and views of the rows. */
  #prepareRows(columns: columnsOf.Columns) {
    return Effect.gen(this, function*() {
      const { dialect, prefix } = this
      yield* this.#queries(sqlSchema.tables(dialect, prefix, columns))
      for (const table of ["transfers", "rejected"] as const) {
        const found = yield* this.query(sqlSchema.columnNames(dialect, prefix, table))
        const names = new Set(found.map(({ name }) => String(name)))
        yield* this.#queries(sqlSchema.additions(dialect, prefix, table, columns, names))
      }
      yield* this.#queries(sqlSchema.views(dialect, prefix))
    })
  }

  storePlan(plan: Plan) {
    return Effect.gen(this, function*() {
      yield* this.query(
        `INSERT INTO ${this.prefix}export_plan (id, plan) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET plan = excluded.plan`,
        [storedPlan.encode(plan)]
      )
      for (const source of plan.sources) {
        if (source._tag === "Account") {
          yield* this.query(
            `INSERT INTO ${this.prefix}export_accounts (account) VALUES (?) ON CONFLICT (account) DO NOTHING`,
            [source.address]
          )
        }
      }
    })
  }

  storedPlan() {
    return Effect.flatMap(
      this.query(`SELECT plan FROM ${this.prefix}export_plan WHERE id = 1`),
      ([found]) => found === undefined ? Effect.succeed(undefined) : storedPlan.decode(found["plan"], unreadable)
    )
  }

  /** The plan that is stored, which no other process changes, and for which none makes tables, until the transaction ends. */
  #lockedPlan() {
    const lock = this.query(`LOCK TABLE ${this.prefix}export_plan IN EXCLUSIVE MODE`)
    return Effect.zipRight(Effect.when(lock, () => this.dialect === "pg"), this.storedPlan())
  }

  /** The states of closed windows, by window. */
  #counted() {
    return Effect.gen(this, function*() {
      const all = new Map<number, joining.Counted>()
      let last = -1
      for (;;) {
        const found = yield* this.query(
          `SELECT "window", state FROM ${this.prefix}export_windows WHERE "window" > ? AND status = 'closed'
           ORDER BY "window" LIMIT 10000`,
          [last]
        )
        for (const { state } of found) {
          const counted = yield* decodeCounted(state)
          last = counted.window
          all.set(last, counted)
        }
        if (found.length === 0) return all
      }
    })
  }

  /** Joins the many windows that a tail of an older program has left. Their rows get the number of the window that stays. */
  #joinWindows(plan: Plan) {
    return Effect.gen(this, function*() {
      const { prefix } = this
      const counted = yield* this.#counted()
      const joined = joining.joinedOf(plan, (window) => joining.canJoin(window, counted.get(window.index)))
      if (joined.length === 0) return plan
      for (const one of joined) {
        const { index } = one.window
        const [found] = yield* this.query(`SELECT state FROM ${prefix}export_windows WHERE "window" = ?`, [index])
        const states = one.members.flatMap((member) => counted.get(member.index) ?? [])
        const state = joining.stateOf(one, yield* decodeState(found?.["state"]), states)
        const others = states.filter(({ window }) => window !== index)
        const withRows = others.filter(({ rows }) => rows > 0).map(({ window }) => window)
        for (const some of Array.chunksOf(withRows, 500)) {
          yield* this.query(`UPDATE ${prefix}transfers SET "window" = ? WHERE "window" IN (${some.join()})`, [index])
        }
        for (const some of Array.chunksOf(others.map(({ window }) => window), 5000)) {
          yield* this.query(`UPDATE ${prefix}export_extra SET "window" = ? WHERE "window" IN (${some.join()})`, [index])
          yield* this.query(`DELETE FROM ${prefix}export_windows WHERE "window" IN (${some.join()})`)
        }
        yield* this.query(
          `UPDATE ${prefix}export_windows SET pages = ?, rows_stored = ?, state = ? WHERE "window" = ?`,
          [state.pages, state.rows, encodeState(state), index]
        )
      }
      const next = joining.planOf(plan, joined)
      yield* this.storePlan(next)
      return next
    })
  }

  /** Stores the plan of a new export, or checks that the one that is stored is the same. Returns what does not change of it. */
  planOf(newPlan: Plan | undefined) {
    return this.sql.withTransaction(Effect.gen(this, function*() {
      const found = yield* this.#lockedPlan()
      if (found !== undefined && newPlan !== undefined && !isSameExport(newPlan, found)) {
        return yield* new SinkError({ reason: "stored", problem: "another export is stored here; use another prefix" })
      }
      const plan = found ?? newPlan
      if (plan === undefined) {
        return yield* new SinkError({ reason: "stored", problem: "no export is stored here; pass a plan" })
      }
      const columns = yield* columnsOf.ofPlan(plan)
      yield* this.#prepareRows(columns)
      if (found === undefined) yield* this.storePlan(plan)
      else if (yield* joining.hasMany(found)) yield* this.#joinWindows(found)
      return { columns, unit: plan.unit }
    }))
  }

  /** Replaces the plan by one that continues it, unless another process has extended it otherwise. */
  extend(next: Plan) {
    return this.sql.withTransaction(Effect.gen(this, function*() {
      const found = yield* this.#lockedPlan()
      if (found !== undefined && !isContinuation(found, next)) return found
      yield* this.storePlan(next)
      return next
    }))
  }

  /** Inserts what is not there yet and returns that. */
  #insert<A extends { readonly id: string }>(
    table: sqlSchema.Table,
    columns: columnsOf.Columns,
    values: ReadonlyArray<A>,
    objects: ReadonlyArray<unknown>,
    statement = sqlSchema.insertion
  ) {
    return values.length === 0 ? Effect.succeed(values) : Effect.map(
      this.query(statement(this.dialect, this.prefix, table, columns), [JSON.stringify(objects)]),
      (stored) => {
        const ids = new Set(stored.map(({ id }) => id))
        return ids.size === values.length ? values : values.filter(({ id }) => ids.has(id))
      }
    )
  }

  /** Stores a state if the window is still where it was read; the first one to store wins. */
  #storeState(before: WindowState, state: WindowState) {
    const { prefix } = this
    return Effect.filterOrFail(
      this.query(
        `INSERT INTO ${prefix}export_windows ("window", status, pages, rows_stored, state) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT ("window") DO UPDATE SET status = excluded.status, pages = excluded.pages,
           rows_stored = excluded.rows_stored, state = excluded.state
         WHERE ${prefix}export_windows.pages = ? RETURNING pages`,
        [state.window, state.status, state.pages, state.rows, encodeState(state), before.pages]
      ),
      (stored) => stored.length > 0,
      () => new SinkError({ reason: "conflict", problem: `window ${state.window} is being read by another process` })
    )
  }

  /** Stores a page. Of a damaged window that is read again, `recorded` is what stays recorded until its last page is stored. */
  commit(
    { before, next, rejected, rows, window }: Page,
    columns: columnsOf.Columns,
    recorded: WindowState | undefined
  ) {
    return this.sql.withTransaction(Effect.gen(this, function*() {
      // In one order, so that two processes never wait for each other's rows.
      const sorted = [...rows].sort((a, b) => a.id < b.id ? -1 : 1)
      // What another window has of the same record stays that window's.
      const plan = recorded === undefined ? undefined : yield* this.storedPlan()
      const others = plan === undefined ? [] : siblingsOf(plan, window).map(({ index }) => index)
      const statement = recorded === undefined ? sqlSchema.insertion : sqlSchema.replacement(others)
      const fresh = new Set(
        yield* this.#insert("transfers", columns, sorted, columnsOf.objects(columns.transfers, sorted), statement)
      )
      const refused = yield* this.#insert("rejected", columns, rejected, columnsOf.objects(columns.rejected, rejected))
      const state = next(rows.filter((row) => fresh.has(row)), refused)
      // Each commit raises the count of pages, by which `storeState` sees another process's commit.
      const stored = { ...state, pages: before.pages + 1 }
      if (recorded === undefined) {
        yield* this.#storeState(before, stored)
        return stored
      }
      if (state.status === "open") {
        yield* this.#storeState(before, { ...recorded, pages: stored.pages })
        return stored
      }
      return yield* this.#summedUp(before, stored, columns)
    }))
  }

  /** Stores a state with what the window holds now. */
  #summedUp(before: WindowState, state: WindowState, columns: columnsOf.Columns) {
    return Effect.gen(this, function*() {
      const content = yield* contents.contentOf(this, columns, state.window)
      const stored = { ...state, ...content, rejected: yield* contents.rejectedOf(this, state.window) }
      yield* this.#storeState(before, stored)
      return stored
    })
  }

  /** Removes rows and rejected records of a window. */
  remove(before: WindowState, ids: ReadonlySet<string>, columns: columnsOf.Columns) {
    return this.sql.withTransaction(
      Effect.zipRight(
        contents.remove(this, before.window, ids),
        this.#summedUp(before, { ...before, pages: before.pages + 1 }, columns)
      )
    )
  }

  state(window: number) {
    return Effect.flatMap(
      this.query(`SELECT state FROM ${this.prefix}export_windows WHERE "window" = ?`, [window]),
      ([found]) => found === undefined ? Effect.succeed(undefined) : decodeState(found["state"])
    )
  }

  states() {
    return Effect.flatMap(
      this.query(`SELECT state FROM ${this.prefix}export_windows ORDER BY "window"`),
      Effect.forEach(({ state }) => decodeState(state))
    )
  }

  /** The IDs of a window, of rows in a part of it and of rows whose place is not known. */
  ids(window: number, unit: Plan["unit"], part: Part | undefined) {
    const { prefix } = this
    const place = unit === "second" ? "unix" : "block_number"
    const within = part === undefined ? "" : ` AND (${place} IS NULL OR ${place} BETWEEN ${part.from} AND ${part.to})`
    const number = (value: unknown): number | null => value === null ? null : Number(value)
    return Effect.map(
      this.query(
        `SELECT id, unix, block_number FROM ${prefix}transfers WHERE "window" = ?${within}
         UNION ALL SELECT id, NULL, NULL FROM ${prefix}rejected WHERE "window" = ?`,
        [window, window]
      ),
      (found) =>
        found.map(({ block_number, id, unix }): Id => ({
          id: String(id),
          unix: number(unix),
          block: number(block_number)
        }))
    )
  }
}

const connect = (options: Options) =>
  Effect.map(
    Effect.all([SqlClient, readPrefix(options)]),
    ([sql, prefix]) => new Database(sql.withoutTransforms(), prefix)
  )

const open = Effect.fnUntraced(function*(database: Database, newPlan?: Plan) {
  if (newPlan !== undefined) yield* columnsOf.ofPlan(newPlan)
  yield* database.prepareLogged()
  const { columns, unit } = yield* io(database.planOf(newPlan))
  const skew = yield* database.skew()
  if (skew !== undefined) yield* Effect.logWarning(`exports: ${ServiceTime.describeSkew(skew, "the database")}`)
  /** Damaged windows that are read again, as they were recorded. */
  const rewritten = new Map<number, WindowState>()
  const session: Session = {
    plan: io(
      Effect.flatMap(
        database.storedPlan(),
        (plan) =>
          plan === undefined ? new SinkError({ reason: "io", problem: "the plan is gone" }) : Effect.succeed(plan)
      )
    ),
    states: io(database.states()),
    extend: (plan) => io(database.extend(plan)),
    commit: (page) =>
      Effect.tap(
        io(database.commit(page, columns, rewritten.get(page.before.window))),
        ({ status, window }) => Effect.sync(() => status === "open" || rewritten.delete(window))
      ),
    restart: (before, rewrite = false) =>
      Effect.sync(() => {
        if (rewrite) rewritten.set(before.window, before)
        return again(before)
      }),
    ids: (window, part) => Stream.fromEffect(io(database.ids(window.index, unit, part))),
    damages: io(contents.damages(database)),
    verify: ({ index }) => io(contents.verify(database, columns, index, database.state(index))),
    extras: io(contents.extras(database)),
    mark: ({ index }, marked) => io(contents.mark(database, index, marked)),
    remove: (before, ids) => io(database.remove(before, ids, columns)),
    finish: (manifest) =>
      io(Effect.asVoid(
        database.query(`UPDATE ${database.prefix}export_plan SET manifest = ? WHERE id = 1`, [
          Schema.encodeSync(Schema.parseJson(Manifest))(manifest)
        ])
      ))
  }
  return session
})

export const make = (options: Options = {}): Effect.Effect<Sink, InvalidInput, SqlClient> =>
  Effect.map(connect(options), (database) => ({ open: (newPlan) => open(database, newPlan) }))

export const skewSeconds = (
  options: Options = {}
): Effect.Effect<number | undefined, InvalidInput | SinkError, SqlClient> =>
  Effect.flatMap(connect(options), (database) => database.skew())

export const upgrade = (
  options: Options = {}
): Effect.Effect<{ readonly from: number; readonly to: number }, InvalidInput | SinkError, SqlClient> =>
  Effect.flatMap(connect(options), (database) => database.prepare())

const day = 86_400_000

/** A place this many intervals from now, and this many microseconds, is no place in a line: a clock was ahead. */
const crediblePlaces = 1000
const credibleMicros = 600_000_000

/** A wait that is longer, in milliseconds, is logged. */
const silentWait = 10_000

export const budget = Effect.fnUntraced(function*(
  limits: Budget.Limits,
  options: Options & { readonly name?: string | undefined } = {}
) {
  const database = yield* connect(options)
  const { prefix } = database
  const { perDay, perRun, perSecond } = yield* Budget.check(limits)
  const ofRun = yield* Budget.make({ perRun })
  const { name = "default" } = options
  // Times are in microseconds, so that many requests a second are still spaced by whole numbers.
  const interval = perSecond === undefined ? 0 : Math.ceil(1_000_000 / perSecond)
  const farthest = Math.max(credibleMicros, interval * crediblePlaces)
  yield* database.prepareLogged()
  yield* io(database.query(
    `INSERT INTO ${prefix}export_budget (name, free_at, day, used) VALUES (?, 0, 0, 0) ON CONFLICT (name) DO NOTHING`,
    [name]
  ))
  const take = Effect.gen(function*() {
    const now = yield* database.micros
    const today = `${now} / ${day * 1000}`
    // Without a rate there is no line, and no place in it.
    const place = perSecond === undefined
      ? ""
      : `free_at = CASE WHEN free_at > ${now} AND free_at <= ${now} + ${farthest} THEN free_at ELSE ${now} END + ${interval},`
    const [taken] = yield* database.query(
      `UPDATE ${prefix}export_budget SET ${place}
         used = CASE WHEN day = ${today} THEN used + 1 ELSE 1 END,
         day = ${today}
       WHERE name = ? AND (day <> ${today} OR used < ${perDay ?? Number.MAX_SAFE_INTEGER})
       RETURNING free_at - ${now} AS ahead`,
      [name]
    )
    if (taken === undefined) {
      return yield* new Budget.BudgetExhausted({
        limit: "day",
        requests: perDay ?? 0,
        until: (Math.floor((yield* database.millis) / day) + 1) * day / 1000
      })
    }
    return perSecond === undefined ? 0 : (Number(taken["ahead"]) - interval) / 1000
  })
  /** Requests that were counted in this process and then not in the database, so they were not sent. */
  let unused = 0
  return {
    take: Effect.gen(function*() {
      if (unused > 0) unused--
      else yield* ofRun.take
      const wait = yield* take.pipe(
        Effect.catchTag("SqlError", storageFault.sinkError),
        Effect.tapError(() => Effect.sync(() => unused++))
      )
      if (wait > silentWait) {
        yield* Effect.logInfo(`exports: the budget "${name}" has a place for a request in ${Math.round(wait / 1000)} s`)
      }
      if (wait > 0) yield* Effect.sleep(wait)
    })
  }
})
