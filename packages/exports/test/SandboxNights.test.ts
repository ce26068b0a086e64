/** Thirty nights of a sandbox, whose own record of transfers is what each store is compared with. */
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import type { TransferRecord } from "@effect-klaytn/indexer/TransferRecord"
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parquetTallies, sqlTallies } from "../../../drills/exports/audit.js"
import * as records from "../../../drills/exports/records.js"
import { databases } from "../../engine/test/support/databases.js"
import * as Exports from "../src/Exports.js"
import * as FileSink from "../src/FileSink.js"
import * as Plan from "../src/Plan.js"
import type { Sink } from "../src/Sink.js"
import * as SqlSink from "../src/SqlSink.js"
import { clockFrom } from "./support/clock.js"
import * as Killed from "./support/killed.js"

const nights = 30
const start = 1_700_000_000
const step = 36_000
const service = Sandbox.layer({ seed: "nights", clock: { start, step } })

/** The rows of a transfer as the sandbox recorded it. */
const keysOf = (transfer: TransferRecord): ReadonlyArray<string> => {
  const key = (tokenId: bigint | null, amount: bigint, part: number): string =>
    records.exportedKey({
      transaction_hash: transfer.transaction.transactionHash,
      kind: transfer.kind,
      from_address: transfer.from,
      to_address: transfer.to,
      contract: transfer.kind === "coin" ? null : transfer.contract.address,
      token_id: tokenId === null ? null : String(tokenId),
      amount: String(amount),
      part
    })
  switch (transfer.kind) {
    case "mt":
      return transfer.ids.map((id, part) => key(id, transfer.values[part] ?? 0n, part))
    case "nft":
      return [key(transfer.tokenId, 1n, 0)]
    default:
      return [key(null, transfer.value, 0)]
  }
}

interface Store {
  readonly sink: Sink
  readonly found: Effect.Effect<ReadonlyMap<string, number>, unknown>
}

interface Case {
  readonly name: string
  readonly open: Effect.Effect<Store, unknown, Scope.Scope>
}

const parquet: Case = {
  name: "Parquet",
  open: Effect.gen(function*() {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "nights-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    return {
      sink: yield* FileSink.make({ directory, format: "parquet" }),
      found: Effect.map(Effect.promise(() => parquetTallies(directory)), ({ rows }) => rows)
    }
  }).pipe(Effect.provide(NodeContext.layer))
}

const ofDatabase = ([name, open]: (typeof databases)[number]): Case => ({
  name,
  open: Effect.gen(function*() {
    const context = yield* Layer.build((yield* open).layer)
    return yield* Effect.gen(function*() {
      const sql = yield* SqlClient
      return { sink: yield* SqlSink.make(), found: Effect.map(sqlTallies(sql), ({ rows }) => rows) }
    }).pipe(Effect.provide(context))
  })
})

/** A chain whose transfers fill thirty nights, some of them indexed up to two nights late. */
const world = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const { accounts, blocks } = yield* Generator.generate(chain, { seed: "nights", transfers: 400, accounts: 5 })
  const exported = accounts.slice(0, 2).map(({ address }) => address)
  const truth = yield* chain.transfers({ accounts: exported, limit: 100_000 })
  const interval = Math.ceil((blocks + 1) * step / nights)
  const next = records.random("nights")
  const indexedAt = new Map(truth.map(({ transaction: { timestamp, transactionHash } }) => [
    transactionHash,
    next() < 0.1 ? timestamp + Math.floor(next() * 2 * interval) : timestamp
  ]))
  let now = start
  const isShown = (hash: string | undefined) => (indexedAt.get(hash as `0x${string}`) ?? 0) <= now
  /** The service, whose index lacks the records that come late. */
  const fetching: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    // The lists of the service, as its documentation has them.
    const { items, ...rest } = await answer.json() as { readonly items?: ReadonlyArray<Item> }
    const shown = items?.filter(({ transaction, transactionHash }) =>
      isShown(transactionHash ?? transaction?.transactionHash)
    )
    return Response.json({ ...rest, ...(shown === undefined ? {} : { items: shown }) }, { status: answer.status })
  }
  return {
    exported,
    interval,
    late: [...indexedAt].filter(([hash, at]) =>
      truth.some(({ transaction }) =>
        transaction.transactionHash === hash && at > transaction.timestamp + interval
      )
    ).length,
    history: TransferHistory.layer().pipe(
      Layer.provide(Sandbox.clientConfig(1001)),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetching))
    ),
    setTime: (second: number) => {
      now = second
    },
    /** What a store has to hold when it was read up to a second. */
    expected: (last: number) =>
      records.tally(
        truth.filter(({ transaction }) => transaction.timestamp <= last && isShown(transaction.transactionHash))
          .flatMap(keysOf)
      )
  }
})

interface Item {
  readonly transactionHash?: string
  readonly transaction?: { readonly transactionHash: string }
}

/** The nights whose runs are killed, and at which step. */
const killedAt = new Map([[11, 2], [23, 3]])

for (const { name, open } of [parquet, ...databases.map(ofDatabase)]) {
  describe(`thirty nights of a sandbox, on ${name}`, () => {
    it.scopedLive(
      "leave nothing missing and nothing twice, with late records and two crashes",
      () =>
        Effect.gen(function*() {
          const { expected, exported, history, interval, late, setTime } = yield* world
          assert.isAbove(late, 2)
          const store = yield* open
          const range = yield* Range.time({ from: start })
          for (let night = 0; night < nights + 2; night++) {
            const now = start + (night + 1) * interval
            setTime(now)
            const plan = yield* Plan.make({ accounts: exported, range, windows: 1 }).pipe(
              Effect.withClock(clockFrom(now))
            )
            const last = killedAt.get(night)
            const life = new Killed.Life(last ?? Number.POSITIVE_INFINITY)
            const sink = Killed.sink(store.sink, life, night % 2 === 0 ? "before" : "after")
            const exit = yield* Exports.catchUp({ plan, sink, recheck: `${2 * interval + 60} seconds` }).pipe(
              Stream.runDrain,
              Effect.provide(history),
              Effect.withClock(clockFrom(now)),
              Effect.exit
            )
            assert.strictEqual(Exit.isFailure(exit), last !== undefined, `night ${night}: ${String(exit)}`)
            if (last !== undefined) continue
            const compared = records.compare(expected(now - 60), yield* store.found)
            assert.deepStrictEqual(compared, { missing: 0, doubled: 0 }, `night ${night}`)
          }
          assert.isAbove((yield* store.found).size, 100)
        }).pipe(Effect.provide(service)),
      240_000
    )
  })
}
