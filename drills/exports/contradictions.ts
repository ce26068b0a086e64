/**
 * A source that contradicts itself: each night it leaves out other transactions, repeats records at the borders of pages, refuses a
 * part of the range, shows some transactions late, and returns some no more. What it ever returned has to be in every sink, once.
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as FileSink from "../../packages/exports/src/FileSink.js"
import * as Plan from "../../packages/exports/src/Plan.js"
import type { Sink } from "../../packages/exports/src/Sink.js"
import * as SqlSink from "../../packages/exports/src/SqlSink.js"
import * as Service from "../../packages/exports/test/support/service.js"
import { fileTallies, parquetTallies, sqlTallies, type Tallies } from "./audit.js"
import * as runs from "./exportRuns.js"
import { postgresAt } from "./jobDatabase.js"
import * as records from "./records.js"
import { HistoryService } from "./service.js"
import type { Setting } from "./stores.js"

/** What a source does with each transaction, and when. */
interface Fate {
  readonly shownFrom: number
  readonly goneFrom: number
}

const accounts = [0, 1, 2].map(records.addressOf)

/** The account that a transfer belongs to: it is read in that account's search. */
const ownerOf = (from: string, to: string): string | undefined => accounts.find((one) => one === from || one === to)

interface Wire {
  readonly from: string
  readonly to: string
  readonly transactionHash?: string
  readonly transaction?: { readonly transactionHash: string }
}

class Source {
  readonly fates: ReadonlyMap<string, Fate>
  /** Transactions that the search of their account has returned for a part of what is exported. */
  readonly returned = new Set<string>()
  refusals = 0
  readonly #services: Array<HistoryService> = []

  constructor(
    readonly history: ReadonlyArray<records.Recorded>,
    readonly nights: number,
    private readonly next: () => number
  ) {
    const fates = new Map<string, Fate>()
    for (const { transaction } of history) {
      if (fates.has(transaction)) continue
      const shownFrom = next() < 0.1 ? Math.floor(next() * nights) : 0
      fates.set(transaction, { shownFrom, goneFrom: next() < 0.05 ? 1 + Math.floor(next() * nights) : nights + 1 })
    }
    this.fates = fates
  }

  /** What is there in a night. In the last one nothing is left out. */
  #isShown(night: number): (record: records.Recorded) => boolean {
    const hidden = new Map<string, boolean>()
    return ({ transaction }) => {
      const { goneFrom, shownFrom } = this.fates.get(transaction) ?? { goneFrom: 0, shownFrom: 0 }
      if (night < shownFrom || night >= goneFrom) return false
      const isHidden = hidden.get(transaction) ?? (night < this.nights && this.next() < 0.3)
      hidden.set(transaction, isHidden)
      return !isHidden
    }
  }

  /** The end of what is exported in a night. */
  end(night: number): number {
    return records.began + Math.floor(records.lasts * (night + 1) / (this.nights + 1))
  }

  /** A second of a night's range without a record, so that no record is asked for there by itself. */
  #refusedAt(night: number): number {
    const times = new Set(this.history.map(({ time }) => time))
    for (;;) {
      const at = records.began + Math.floor(this.next() * (this.end(night) - records.began))
      if (!times.has(at)) return at
    }
  }

  /** The service of a night. */
  night(night: number) {
    const service = new HistoryService(this.history.filter(this.#isShown(night)), {
      overlapping: night < this.nights ? 0.3 : 0,
      dying: night < this.nights ? 2 / this.history.length : 0,
      random: this.next
    })
    this.#services.push(service)
    // The first night refuses a part whatever the seed, the last one none.
    const refuses = night < this.nights && (night === 0 || this.next() < 0.5)
    const refusedAt = refuses ? this.#refusedAt(night) : Number.NaN
    const answer = (target: string) => {
      const url = new URL(target, "http://service")
      const [from = 0, to = 0] = (url.searchParams.get("range") ?? "").split(",").map(Number)
      if (from <= refusedAt && refusedAt <= to) {
        this.refusals++
        return { status: 400, body: JSON.stringify({ code: 1040011, message: "[OutOfRange]", requestId: "0" }) }
      }
      const answered = service.answer(target)
      // A range without an end is a look for the newest record, which may be after the end of what is exported.
      if (answered.status === 200 && to > 0) {
        const searched = /account\/(0x[0-9a-f]{40})/.exec(url.pathname)?.[1]
        // Answers of the service of this drill.
        const { items } = JSON.parse(answered.body) as { readonly items: ReadonlyArray<Wire> }
        for (const { from, to, transaction, transactionHash } of items) {
          if (ownerOf(from, to) === searched) this.returned.add(transactionHash ?? transaction?.transactionHash ?? "")
        }
      }
      return answered
    }
    return Service.layer(Service.wire(answer))
  }

  /** How often pages began with what the page before ended with. */
  get repeated(): number {
    return this.#services.reduce((sum, { struck }) => sum + struck.recordsRepeated, 0)
  }

  /** What a store has to hold. */
  truth(isThere: (record: records.Recorded) => boolean): Tallies {
    return records.expected(
      this.history.filter((record) => this.returned.has(record.transaction) && isThere(record)),
      new Set(accounts)
    )
  }
}

const differences = (sink: Sink, more: Partial<Exports.ReconcileOptions>) =>
  Stream.runCollect(Exports.reconcile({ sink, ...more }))

/** Exports night after night, and compares what is stored with what was ever returned, then with what is there at the end. */
const nights = (source: Source, sink: Sink, found: Effect.Effect<Tallies, unknown>) =>
  Effect.gen(function*() {
    const range = yield* Range.time({ from: records.began, to: source.end(0) })
    const plan = yield* Plan.make({ accounts, range, windows: 3, size: Math.ceil(source.history.length / 40) })
    for (let night = 0; night <= source.nights; night++) {
      const service = source.night(night)
      yield* Stream.runDrain(Exports.catchUp({ plan, sink, to: source.end(night), recheck: "400 days" })).pipe(
        Effect.provide(service)
      )
      if (night % 3 === 2) yield* Effect.provide(differences(sink, { repair: true }), service)
    }
    const isThere = ({ transaction }: records.Recorded) =>
      (source.fates.get(transaction)?.goneFrom ?? 0) > source.nights
    // Before anything is repaired, the nights alone have stored what is there now.
    const { missing: unfound } = records.compare(source.truth(isThere).rows, (yield* found).rows)
    const last = source.night(source.nights)
    yield* Effect.provide(differences(sink, { repair: true }), last)
    const ever = source.truth(() => true)
    const stored = records.compare(ever.rows, (yield* found).rows)
    const { complete, extra, overlaps } = yield* Exports.manifest(sink)
    const left = source.truth(isThere).rows
    const sum = (rows: ReadonlyMap<string, number>): number => [...rows.values()].reduce((all, one) => all + one, 0)
    const named = sum(ever.rows) - sum(left)
    yield* Effect.provide(differences(sink, { remove: "all" }), last)
    const after = records.compare(left, (yield* found).rows)
    const manifest = yield* Exports.manifest(sink)
    const { length: remaining } = yield* Effect.provide(differences(sink, {}), last)
    return {
      rows: sum(ever.rows),
      unfound,
      ...stored,
      extra,
      named,
      overlaps,
      complete,
      afterMissing: after.missing,
      afterDoubled: after.doubled,
      remaining,
      checksum: manifest.checksum
    }
  })

type Result = Effect.Effect.Success<ReturnType<typeof nights>>

const isGood = (one: Result): boolean =>
  one.rows > 0 &&
  one.unfound + one.missing + one.doubled + one.overlaps + one.afterMissing + one.afterDoubled + one.remaining === 0 &&
  one.extra === one.named && one.extra > 0 && one.complete === "yes"

/** A run into each sink. A seed decides what comes late and what goes, so that all of them come to the same end. */
export const tasks = (
  { folder, report, short }: Setting,
  seed: string,
  server: string | undefined
): ReadonlyArray<() => Promise<void>> => {
  const history = records.make({ seed, transfers: short ? 400 : 4_000, accounts: 4 })
  const checksums = new Map<string, string>()
  const run = async <R>(
    sink: string,
    go: (source: Source) => Effect.Effect<Result, unknown, R>,
    provided: (effect: Effect.Effect<Result, unknown, R>) => Effect.Effect<Result, unknown>
  ): Promise<void> => {
    const source = new Source(history, short ? 7 : 40, records.random(`${seed} nights`))
    const result = await Effect.runPromise(provided(go(source)))
    checksums.set(sink, result.checksum)
    report(
      {
        drill: "exports",
        store: "a source that contradicts itself",
        sink,
        nights: source.nights,
        refusals: source.refusals,
        repeated: source.repeated,
        ...result
      },
      isGood(result) && source.refusals > 0 && source.repeated > 0 && new Set(checksums.values()).size === 1
    )
  }
  const place = () => mkdtempSync(join(folder, "contradictions-"))
  const inDirectory = (format: "ndjson" | "csv" | "parquet") => async () => {
    const directory = place()
    const found = format === "parquet"
      ? Effect.promise(() => parquetTallies(directory))
      : Effect.sync(() => fileTallies(directory))
    await run(
      format,
      (source) => Effect.flatMap(FileSink.make({ directory, format }), (sink) => nights(source, sink, found)),
      Effect.provide(NodeContext.layer)
    )
    rmSync(directory, { recursive: true })
  }
  const inDatabase = (source: Source) =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      return yield* nights(source, yield* SqlSink.make(), sqlTallies(sql))
    })
  return [
    inDirectory("ndjson"),
    inDirectory("csv"),
    inDirectory("parquet"),
    () => run("sqlite", inDatabase, Effect.provide(Database.layerSqlite({ file: join(place(), "export.db") }))),
    ...(server === undefined ? [] : [async () => {
      const address = await runs.makeDatabase(server)
      await run("postgres", inDatabase, Effect.provide(postgresAt(address)))
      await runs.dropDatabase(server, address)
    }])
  ]
}
