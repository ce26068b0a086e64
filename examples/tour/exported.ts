/** An export into SQLite that is interrupted, goes on in a new process's place, and answers questions in SQL. */
import * as Database from "@effect-klaytn/engine/Database"
import * as Exports from "@effect-klaytn/exports/Exports"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as SqlSink from "@effect-klaytn/exports/SqlSink"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { contractBalances } from "./balances.js"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

export const exported: Step = {
  title: "An export into SQLite, interrupted on the way, resumed, and queried",
  run: Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const { alice, apples, tickets } = yield* Market
    const history = yield* TransferHistory.TransferHistory
    const { expect, progress, say } = yield* Narrator
    const directory = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())
    const database = Database.layerSqlite({ file: `${directory}/history.db` })

    const { number } = yield* chains.chain(1001).head
    const range = yield* Range.blocks({ from: 0, to: number })
    const plan = yield* Plan.make({ accounts: [alice.address], range, windows: 8, size: 10 })
    yield* say(`${plan.windows.length} windows, each a search that can be read beside the others`)

    // The consumer goes away after three pages, as a process does that is stopped.
    yield* Effect.gen(function*() {
      const sink = yield* SqlSink.make()
      yield* Exports.events({ plan, sink, concurrency: 2 }).pipe(
        Stream.filter(({ _tag }) => _tag === "PageStored"),
        Stream.take(3),
        Stream.runDrain
      )
      const { complete, rows, windows } = yield* Exports.manifest(sink)
      const closed = windows.filter(({ status }) => status === "closed").length
      yield* say(`interrupted: ${rows} rows, ${closed} of ${windows.length} windows closed`)
      yield* expect("an interrupted export does not pass for a complete one", complete, "no")
    }).pipe(Effect.provide(database))

    // Another connection to the same file, which knows the plan: nothing but the place is given.
    yield* Effect.gen(function*() {
      const sink = yield* SqlSink.make()
      let pages = 0
      yield* Stream.runForEach(
        Exports.events({ sink }),
        ({ _tag }) => _tag === "PageStored" ? progress(`page ${++pages}`) : Effect.void
      )
      const { complete, rows } = yield* Exports.manifest(sink)
      yield* say(`resumed: ${rows} rows, complete: ${complete}`)

      const sql = yield* SqlClient
      const [counted] = yield* sql<{ readonly stored: number; readonly ids: number }>`
        SELECT count(*) AS stored, count(DISTINCT id) AS ids FROM transfers`
      const single = yield* Stream.runCollect(history.getTransfersByEoa.items({ address: alice.address, size: 10 }))
      // A multi-token transfer is one row for each token that it moved.
      const wanted = [...single].reduce(
        (sum, transfer) => sum + (transfer._tag === "MtTransfer" ? transfer.ids.length : 1),
        0
      )
      yield* expect("every transfer is stored once", [Number(counted?.stored), Number(counted?.ids)], [wanted, wanted])

      // The view has a row for each token, so an NFT contract has one for each of its tokens.
      const balances = yield* sql<{ readonly contract: string; readonly balance: string }>`
        SELECT contract, balance FROM balances WHERE account = ${alice.address} AND kind IN ('ft', 'nft')`
      const sum = (contract: string): bigint =>
        balances.filter((row) => row.contract === contract).reduce((all, { balance }) => all + BigInt(balance), 0n)
      yield* say(
        `SELECT balance FROM balances: ${Number(sum(apples.address)) / 100} APL, ${sum(tickets.address)} tickets`
      )
      const answered = yield* contractBalances(alice)
      yield* expect(
        "the balances that SQL adds up are those that the contracts answer",
        [sum(apples.address), sum(tickets.address)],
        [answered.get(apples.address), answered.get(tickets.address)]
      )
    }).pipe(Effect.provide(database))
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
}
