/**
 * Makes small exports with the code of an older commit, for `test/OldStores.test.ts`, which continues them with the code of today:
 * in every sink, one that is killed by `kill -9` in the middle (`half`), and one that was brought up to date in a night (`night`),
 * and a directory that was brought up to date in 100 nights (`nights`). Run it for each release, and commit what it makes; with a
 * state, only that:
 *
 *     npx tsx packages/exports/scripts/oldStores.ts 73b558d3
 *     npx tsx packages/exports/scripts/oldStores.ts 953ea670 nights
 *
 * It checks the commit out beside this repository, installs it, and runs this file there. So this file uses only what is in every
 * commit. The service answers from `test/stores/history.json`. Postgres is a text that restores the tables.
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import * as Postgres from "../../../drills/engine/postgres.js"
import * as records from "../../../drills/exports/records.js"
import { HistoryService } from "../../../drills/exports/service.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import * as SqlSink from "../src/SqlSink.js"
import * as Service from "../test/support/service.js"

const sinks = ["ndjson", "csv", "parquet", "sqlite", "postgres"] as const
type SinkName = (typeof sinks)[number]

const states = ["half", "night", "nights"] as const
type State = (typeof states)[number]

const root = join(import.meta.dirname, "../../..")
const stores = join(import.meta.dirname, "../test/stores")
const accounts = [0, 1].map(records.addressOf)
/** The request with which a process is killed. */
const lastRequest = 17

const readHistory = () =>
  // Written below.
  JSON.parse(readFileSync(join(stores, "history.json"), "utf8")) as ReadonlyArray<records.Recorded>

/** A service whose client dies when it asks for the last time. */
const serviceOf = (state: State) => {
  const service = new HistoryService(readHistory())
  return Service.layer(Service.wire((target) => {
    if (state === "half" && service.requests === lastRequest) process.kill(process.pid, "SIGKILL")
    return service.answer(target)
  }))
}

const exporting = (state: State, sink: Effect.Effect.Success<ReturnType<typeof FileSink.make>>) =>
  Effect.gen(function*() {
    const end = records.began + records.lasts
    const middle = records.began + Math.floor(records.lasts / 2)
    const range = yield* Range.time({ from: records.began, to: state === "half" ? end : middle })
    const plan = yield* Plan.make({ accounts, range, windows: 4, size: 4 })
    if (state === "nights") {
      for (let night = 1; night <= 100; night++) {
        const to = middle + Math.floor(night * records.lasts / 250)
        yield* Stream.runDrain(Exports.catchUp({ plan, sink, to }))
      }
    } else if (state === "half") yield* Exports.run({ plan, sink, concurrency: 2 })
    else yield* Stream.runDrain(Exports.catchUp({ plan, sink, to: middle + 5 * 86_400 }))
  }).pipe(Effect.provide(serviceOf(state)))

/** A process that makes one export. */
const makeOne = (name: SinkName, state: State, place: string) => {
  if (name === "ndjson" || name === "csv" || name === "parquet") {
    return Effect.flatMap(FileSink.make({ directory: place, format: name }), (sink) => exporting(state, sink)).pipe(
      Effect.provide(NodeContext.layer)
    )
  }
  return Effect.flatMap(SqlSink.make(), (sink) => exporting(state, sink)).pipe(
    Effect.provide(
      name === "postgres"
        ? Database.layerPostgres({ url: Redacted.make(place) })
        : Database.layerSqlite({ file: place })
    )
  )
}

const runOne = (name: SinkName, state: State, place: string): void => {
  const words = ["--import", "tsx", import.meta.filename, "one", name, state, place]
  const { signal, status } = spawnSync(process.execPath, words, { stdio: "inherit" })
  if (state === "half" ? signal !== "SIGKILL" : status !== 0) {
    throw new Error(`${name} ${state} ended with ${signal ?? status}`)
  }
}

/** Opens and closes a file, so that nothing of it is left beside it. */
const settle = (file: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`PRAGMA wal_checkpoint(TRUNCATE)`).pipe(
    Effect.provide(Database.layerSqlite({ file })),
    Effect.zipRight(Effect.sync(() => [`${file}-wal`, `${file}-shm`].forEach((one) => rmSync(one, { force: true }))))
  )

/** A dump without what belongs to one session. A line ends with a line feed alone: texts in it have other ends. */
const withoutComments = (dump: string): string =>
  dump.split("\n").filter((line) => line !== "" && !/^(?:--|SET |\\|SELECT pg_catalog)/.test(line)).join("\n")

const makeAll = (into: string, only: ReadonlyArray<State>) =>
  Effect.gen(function*() {
    const server = yield* Postgres.temporary
    const sql = Layer.build(Database.layerPostgres({ url: server }))
    for (const state of only) {
      for (const name of state === "nights" ? ["ndjson"] as const : sinks) {
        const place = join(into, `${name}-${state}`)
        mkdirSync(into, { recursive: true })
        rmSync(place, { recursive: true, force: true })
        if (name === "postgres") {
          const database = `${state}_store`
          yield* Effect.flatMap(SqlClient, (client) => client.unsafe(`CREATE DATABASE ${database}`)).pipe(
            Effect.provide(yield* sql)
          )
          const url = Object.assign(new URL(Redacted.value(server)), { pathname: `/${database}` }).href
          runOne(name, state, url)
          const dump = execFileSync("pg_dump", ["--inserts", "--no-owner", "--no-privileges", url], {
            encoding: "utf8"
          })
          writeFileSync(`${place}.sql`, withoutComments(dump))
        } else if (name === "sqlite") {
          runOne(name, state, `${place}.sqlite`)
          yield* settle(`${place}.sqlite`)
        } else {
          runOne(name, state, place)
          // It names a process of the machine that made the store.
          rmSync(join(place, "export.lock"), { force: true })
        }
      }
    }
  }).pipe(Effect.scoped)

const makeAt = (commit: string, only: string): void => {
  const into = join(stores, commit)
  const history = join(stores, "history.json")
  mkdirSync(stores, { recursive: true })
  if (!existsSync(history)) {
    const made = records.make({ seed: "stores", transfers: 120, accounts: 3, misshapen: 0.03 })
    writeFileSync(history, `[\n${made.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`)
  }
  const old = mkdtempSync(join(tmpdir(), "old-stores-"))
  const run = (command: string, ...args: ReadonlyArray<string>): void =>
    void execFileSync(command, args, { cwd: old, stdio: "inherit" })
  execFileSync("git", ["worktree", "add", "--detach", old, commit], { cwd: root, stdio: "inherit" })
  try {
    run("npx", "-y", "pnpm@10.34.9", "install", "--prefer-offline", "--frozen-lockfile")
    for (const file of [import.meta.filename, history]) {
      const copy = join(old, relative(root, file))
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(file, copy)
    }
    run("npx", "tsx", relative(root, import.meta.filename), "all", into, only)
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", old], { cwd: root, stdio: "inherit" })
  }
}

const isOf = <A extends string>(all: ReadonlyArray<A>, text: string): text is A => all.some((one) => one === text)

const [first = "", second = "", third = "", fourth = ""] = process.argv.slice(2)
if (first === "one" && isOf(sinks, second) && isOf(states, third)) {
  await Effect.runPromise(makeOne(second, third, fourth))
  process.exit(0)
} else if (first === "all") await Effect.runPromise(makeAll(second, isOf(states, third) ? [third] : states))
else if (/^[0-9a-f]{7,40}$/.test(first)) makeAt(first, second)
else throw new Error("name a commit")
