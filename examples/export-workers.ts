/**
 * One export shared by two processes over Postgres: one is killed on the way, another joins, and the export ends with
 * every record once. Uses the server of `POSTGRES_URL`, where it makes a database of its own and drops it, or starts one
 * from Debian's package in a temporary folder; without either it only says so. The processes are `workers/worker.ts`.
 */
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as Workers from "@effect-klaytn/exports/Workers"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import { database } from "./workers/database.js"
import { start } from "./workers/start.js"

const began = 1_700_000_000

const Service = Sandbox.layer({ seed: "workers", accounts: [], clock: { start: began, step: 600 } })
const History = TransferHistory.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

/** How many records the searches of the accounts have; one that two of them share comes twice, and counts once. */
const countRecords = (accounts: ReadonlyArray<string>, range: Range.Range) =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.TransferHistory
    const isOurs = (address: string) => accounts.includes(address)
    const counts = yield* Effect.forEach(accounts, (address) =>
      history.getTransfersByEoa.items({ address, range }).pipe(
        Stream.runFold(0, (sum, transfer) => {
          assert(transfer._tag !== "UnknownTransfer")
          const isShared = transfer.from !== transfer.to && isOurs(transfer.from) && isOurs(transfer.to)
          return sum + (isShared ? 0.5 : 1)
        })
      ))
    return counts.reduce((sum, count) => sum + count, 0)
  })

const program = (address: string) =>
  Effect.gen(function*() {
    const { accessKeyId, chains, secretAccessKey, url } = yield* Sandbox.Sandbox
    const { accounts } = yield* Generator.generate(chains.chain(1001), { seed: "workers", transfers: 900, accounts: 8 })
    const range = yield* Range.time({ from: began, to: began + 180 * 86_400 })
    const exported = accounts.slice(0, 4).map(({ address }) => address)
    const plan = yield* Plan.make({ accounts: exported, range, windows: 12, size: 10 })
    const expected = yield* countRecords(exported, range)

    const sql = yield* SqlClient
    const worker = (name: string) =>
      start(name, {
        KLAYTN_DATABASE_URL: address,
        KLAYTN_CHAIN_ID: "1001",
        KLAYTN_HISTORY_URL: url,
        KLAYTN_ACCESS_KEY_ID: accessKeyId,
        KLAYTN_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey)
      })
    const [first] = yield* Effect.all([worker("first"), worker("second")], { concurrency: 2 })
    console.log("two workers are ready")

    const submitted = yield* Effect.fork(Workers.submit({ plan }))
    const stored = Effect.map(
      sql<{ readonly count: number | string }>`SELECT count(*) AS count FROM transfers`,
      ([row]) => Number(row?.count)
    ).pipe(Effect.orElseSucceed(() => 0)) // its tables are made when it begins
    const early = yield* Effect.repeat(Effect.zipRight(Effect.sleep("50 millis"), stored), {
      until: (rows) => rows >= expected / 5
    })
    const { signal } = yield* first.kill
    console.log(`${early} rows are stored; the first worker is gone: ${signal}`)
    assert.equal(signal, "SIGKILL")
    assert.equal((yield* Fiber.poll(submitted))._tag, "None")

    yield* worker("third")
    console.log("a third one has joined")
    const manifest = yield* Fiber.join(submitted)
    const [{ records, rows } = { records: -1, rows: -1 }] = yield* sql<
      { readonly rows: number | string; readonly records: number | string }
    >`SELECT count(*) AS rows, count(*) FILTER (WHERE part = 0) AS records FROM transfers`
    console.log(`complete: ${manifest.complete}, ${manifest.rows} rows in ${manifest.windows.length} windows`)
    console.log(
      `${expected} records in the searches of ${exported.length} accounts, ${records} in the table, each once`
    )
    assert.equal(manifest.complete, "yes")
    assert.equal(Number(rows), manifest.rows)
    assert.equal(Number(records), expected)
  }).pipe(
    Effect.scoped,
    Effect.provide(Engine.layerClient({ pollInterval: "200 millis" })),
    Effect.provide(Database.layerPostgres({ url: Redacted.make(address) })),
    Effect.provide(Layer.provideMerge(History, Service))
  )

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const address = yield* Effect.either(database)
  if (Either.isRight(address)) return yield* program(address.right)
  console.log(`skipped: ${address.left.message} Set POSTGRES_URL to use another one.`)
})))
