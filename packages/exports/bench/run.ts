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
import { addressOf, began, lasts } from "../drills/records.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import * as Sink from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { transfers: { type: "string", default: "20000" } }
})
const transfers = Number(values.transfers)
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** A service in a process of its own, so that it takes no time of the exporter's. */
const serving = async <A>(count: number, latency: number, use: (url: string) => Promise<A>): Promise<A> => {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", process.env["BENCH_SERVER"] ?? "", String(count), String(latency)],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
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
        plan: Effect.succeed(plan),
        states: Effect.succeed([]),
        extend: () => Effect.void,
        commit: (page) =>
          Effect.sync(() => {
            rows += page.rows.length
            return page.next(page.rows, page.rejected)
          }),
        restart: Effect.succeed,
        ids: () => Effect.succeed(new Set()),
        finish: () => Effect.void
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
    const sqlite = Effect.gen(function*() {
      const sink = yield* SqlSink.make()
      const plan = yield* planned(8, 1000)
      yield* Exports.run({ plan, sink, concurrency: 8 })
    }).pipe(Effect.provide(Database.layerSqlite({ file: `${folder}/export.db` })), Effect.provide(history(url)))
    figure("sqlite", rows, await timed(() => Effect.runPromise(sqlite)))
    rmSync(folder, { recursive: true })
  })
}

if (wanted("memory")) {
  for (const count of [transfers, 10 * transfers]) {
    await serving(count, 0, async (url) => {
      let peak = 0
      const watch = setInterval(() => peak = Math.max(peak, process.memoryUsage().rss), 50)
      const sink = counting()
      await run(url, once(sink), 16, 1000)
      clearInterval(watch)
      tell({
        bench: "exports: peak memory",
        transfers: count,
        rows: sink.rows(),
        peakMegabytes: Math.round(peak / 2 ** 20)
      })
    })
  }
}
