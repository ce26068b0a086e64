/** The figures of `exports.ts`, which bundles and starts this program. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as runs from "../../../drills/exports/exportRuns.js"
import type { Job } from "../../../drills/exports/job.js"
import { addressOf, began, lasts } from "../../../drills/exports/records.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import { nothingStored } from "../src/internal/nothingStored.js"
import * as Plan from "../src/Plan.js"
import * as Sink from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { transfers: { type: "string" } }
})
const transfers = Number(values.transfers ?? 20_000)
const [first, ...given] = positionals
const wanted = (name: string): boolean => first === undefined || positionals.includes(name)
const database = process.env["BENCH_DATABASE"] ?? ""
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** A service in a process of its own, so that it takes no time of the exporter's. */
const serving = async <A>(count: number, latency: number, use: (url: string) => Promise<A>): Promise<A> => {
  const child = spawn(process.execPath, [process.env["BENCH_SERVER"] ?? "", String(count), String(latency)], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const url = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
  )
  try {
    return await use(url)
  } finally {
    child.kill()
  }
}

const history = (url: string) =>
  TransferHistory.layer().pipe(
    Layer.provide(ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
      ),
      endpoints: { history: url }
    })),
    Layer.provide(FetchHttpClient.layer)
  )

/** Counts rows and keeps none. */
const counting = (): Sink.Sink & { readonly rows: () => number } => {
  let rows = 0
  return {
    rows: () => rows,
    open: (plan) =>
      plan === undefined ? new Sink.SinkError({ reason: "stored", problem: "no plan" }) : Effect.succeed({
        ...nothingStored,
        plan: Effect.succeed(plan),
        commit: (page) =>
          Effect.sync(() => {
            rows += page.rows.length
            return page.next(page.rows, page.rejected)
          }),
        restart: Effect.succeed
      })
  }
}

/** Reading windows once: a sink without states would be asked again. */
const once = (sink: Sink.Sink): Sink.Sink => {
  const states = new Map<number, Sink.WindowState>()
  return {
    open: (plan) =>
      Effect.map(sink.open(plan), (session) => ({
        ...session,
        states: Effect.sync(() => [...states.values()]),
        commit: (page) =>
          Effect.tap(session.commit(page), (state) => {
            states.set(state.window, state)
          })
      }))
  }
}

const planned = (windows: number, size: number) =>
  Effect.flatMap(
    Range.time({ from: began, to: began + lasts }),
    (range) => Plan.make({ accounts: [addressOf(0)], range, windows, size })
  )

/** How long something takes, and how much of it is processor time, in seconds. */
const timed = async (run: () => Promise<unknown>): Promise<{ readonly seconds: number; readonly busy: number }> => {
  const since = performance.now()
  const used = process.cpuUsage()
  await run()
  const { system, user } = process.cpuUsage(used)
  return { seconds: (performance.now() - since) / 1000, busy: (system + user) / 1e6 }
}

const run = (url: string, sink: Sink.Sink, windows: number, size: number, concurrency = windows) =>
  Effect.runPromise(
    Effect.flatMap(planned(windows, size), (plan) => Exports.run({ plan, sink, concurrency })).pipe(
      Effect.provide(history(url))
    )
  )

/** The same into a database. */
const runSql = (url: string, into: ReturnType<typeof Database.layerSqlite>, windows: number, concurrency = windows) =>
  Effect.runPromise(
    Effect.flatMap(
      Effect.all([planned(windows, 1000), SqlSink.make()]),
      ([plan, sink]) => Exports.run({ plan, sink, concurrency })
    ).pipe(Effect.provide([into, history(url)]))
  )

/** Does something with each page before it is stored. */
const before = (sink: Sink.Sink, effect: Effect.Effect<void>): Sink.Sink => ({
  open: (plan) =>
    Effect.map(sink.open(plan), (session) => ({
      ...session,
      commit: (page) => Effect.zipRight(effect, session.commit(page))
    }))
})

if (wanted("windows")) {
  await serving(transfers, 50, async (url) => {
    for (const size of [100, 1000]) {
      let alone = 0
      for (const windows of [1, 2, 4, 8, 16, 32, 64]) {
        const sink = counting()
        // The six-month rule makes at least two windows of this history; one at a time stands for one.
        const { busy, seconds } = await timed(() => run(url, once(sink), Math.max(2, windows), size, windows))
        if (windows === 1) alone = seconds
        tell({
          bench: "exports: windows at 50 ms latency",
          size,
          windows,
          rows: sink.rows(),
          rowsPerSecond: Math.round(sink.rows() / seconds),
          rowsPerBusySecond: Math.round(sink.rows() / busy),
          timesAsFast: Number((alone / seconds).toFixed(1))
        })
      }
    }
  })
}

if (wanted("sinks")) {
  await serving(transfers, 0, async (url) => {
    const folder = mkdtempSync(join(tmpdir(), "exports-bench-"))
    const figure = (
      sink: string,
      rows: number,
      { busy, seconds }: { readonly seconds: number; readonly busy: number }
    ) =>
      tell({
        bench: "exports: rows into a sink",
        sink,
        rows,
        rowsPerSecond: Math.round(rows / seconds),
        rowsPerBusySecond: Math.round(rows / busy)
      })
    let rows = 0
    const byHand = await timed(async () => {
      let text = ""
      for (const [from, to] of [[began, began + lasts / 2], [began + lasts / 2 + 1, began + lasts]]) {
        let cursor = ""
        do {
          const answer = await fetch(
            `${url}/v2/transfer/account/${addressOf(0)}?range=${from},${to}&size=1000&cursor=${cursor}`
          )
          // The service of this bench.
          const page = await answer.json() as { readonly items: ReadonlyArray<unknown>; readonly cursor: string }
          for (const item of page.items) text += `${JSON.stringify(item)}\n`
          rows += page.items.length
          cursor = page.cursor
        } while (cursor !== "")
      }
      writeFileSync(join(folder, "by-hand.ndjson"), text)
    })
    figure("a loop by hand: fetch, JSON, one file", rows, byHand)
    const none = counting()
    figure("none", none.rows() || rows, await timed(() => run(url, once(none), 8, 1000)))
    for (const format of ["ndjson", "csv"] as const) {
      const sink = await Effect.runPromise(
        Effect.provide(FileSink.make({ directory: join(folder, format), format }), NodeContext.layer)
      )
      figure(format, rows, await timed(() => run(url, sink, 8, 1000)))
    }
    const file = `${folder}/export.db`
    figure("sqlite", rows, await timed(() => runSql(url, Database.layerSqlite({ file }), 8)))
    if (database !== "") {
      const address = Redacted.make(database)
      figure("postgres", rows, await timed(() => runSql(url, Database.layerPostgres({ url: address }), 8)))
    }
    rmSync(folder, { recursive: true })
  })
}

if (wanted("workers") && database !== "") {
  const count = 3 * transfers
  await serving(count, 50, async (url) => {
    let alone = 0
    for (const workers of [1, 2, 4]) {
      const job: Job = {
        sink: "postgres",
        place: await runs.makeDatabase(database),
        url,
        accounts: [addressOf(0)],
        range: { from: began, to: began + lasts },
        windows: 64,
        size: 100,
        concurrency: 4
      }
      let end: () => void = () => undefined
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const script = process.env["BENCH_WORKER"] ?? ""
      const deaths: Array<Promise<unknown>> = []
      await Promise.all(Array.from({ length: workers }, () =>
        new Promise<void>((resolve) => {
          deaths.push(runs.runChild(script, job, { with: ended }, resolve))
        })))
      while (!(await runs.isDealtOut(job, workers))) await new Promise((resolve) => setTimeout(resolve, 500))
      let rows = 0
      const { seconds } = await timed(async () => {
        rows = (await runs.submit(job)).rows
      })
      end()
      await Promise.all(deaths)
      if (workers === 1) alone = seconds
      tell({
        bench: "exports: workers at 50 ms latency, 4 requests each, on Postgres",
        workers,
        rows,
        rowsPerSecond: Math.round(rows / seconds),
        timesAsFast: Number((alone / seconds).toFixed(1))
      })
    }
  })
}

if (wanted("slow")) {
  await serving(transfers, 0, async (url) => {
    for (const milliseconds of [0, 1000]) {
      let requested = 0
      let stored = 0
      let most = 0
      const counted: typeof fetch = (input, init) => {
        most = Math.max(most, ++requested - stored)
        return fetch(input, init)
      }
      const sink = counting()
      const slow = before(once(sink), Effect.zipRight(Effect.sleep(milliseconds), Effect.sync(() => void stored++)))
      const { seconds } = await timed(() =>
        Effect.runPromise(
          Effect.flatMap(planned(64, 100), (plan) => Exports.run({ plan, sink: slow, concurrency: 16 })).pipe(
            Effect.provide(history(url)),
            Effect.provideService(FetchHttpClient.Fetch, counted)
          )
        )
      )
      tell({
        bench: "exports: pages requested and not yet stored, 16 windows at once",
        sinkTakesMillis: milliseconds,
        maxPages: most,
        rows: sink.rows(),
        rowsPerSecond: Math.round(sink.rows() / seconds)
      })
    }
  })
}

/** Does something when every window is stored, before the export ends. */
const atEnd = (sink: Sink.Sink, effect: Effect.Effect<void>): Sink.Sink => ({
  open: (plan) =>
    Effect.map(sink.open(plan), (session) => ({
      ...session,
      finish: (manifest) => Effect.zipRight(effect, session.finish(manifest))
    }))
})

/** What one process needs for an export: its peak, and where it may collect, what is live when all windows are stored. */
if (first === "reading") {
  const [url = "", into = ""] = given
  let live: number | undefined
  const collected = Effect.sync(() => {
    globalThis.gc?.()
    live = process.memoryUsage().heapUsed
  })
  if (into === "none") await run(url, atEnd(once(counting()), collected), 16, 1000)
  else await runSql(url, Database.layerSqlite({ file: into }), 16)
  tell({
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    ...(globalThis.gc === undefined || live === undefined ? {} : { liveMegabytes: Number((live / 2 ** 20).toFixed(1)) })
  })
}

/**
 * Whether an export of ten times as much needs more memory. V8 lets garbage grow with what is allocated, so that only
 * peaks under the same heap limit compare; what is live is measured by a process of its own, which collects.
 */
if (wanted("memory")) {
  const folder = mkdtempSync(join(tmpdir(), "exports-bench-"))
  const limit = "--max-old-space-size=64"
  const count = values.transfers === undefined ? 100_000 : transfers
  const kinds = [["none", [limit]], ["none", [limit, "--expose-gc"]], ["sqlite", [limit]]] as const
  const found = new Map<string, number>()
  for (const transfers of [count, 10 * count]) {
    await serving(transfers, 0, async (url) => {
      for (const [into, flags] of kinds) {
        const place = into === "none" ? into : join(folder, `${transfers}.db`)
        const child = spawn(process.execPath, [...flags, process.argv[1] ?? "", "reading", url, place], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        const text = await new Promise<string>((resolve) =>
          child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk)))
        )
        const measured = JSON.parse(text) as Readonly<Record<string, number>> // told above
        const collects = measured["liveMegabytes"] !== undefined
        const name = collects ? "liveMegabytes" : "peakMegabytes"
        const megabytes = measured[name] ?? 0
        const key = `${into} ${name}`
        const before = found.get(key)
        found.set(key, megabytes)
        tell({
          bench: "exports: memory, heap of at most 64 MB",
          sink: into,
          transfers,
          [name]: megabytes,
          ...(before === undefined ? {} : { growthPercent: Math.round(1000 * (megabytes / before - 1)) / 10 })
        })
      }
    })
  }
  rmSync(folder, { recursive: true })
}
