/**
 * Makes a folder of small stores: a SQLite database with payouts in every state, the sandbox whose chain they are on, and how
 * they end: `npx tsx packages/payouts/scripts/stores.ts VERSION` writes `packages/payouts/test/stores/VERSION`, where VERSION is
 * the release or the commit that is checked out. Every later version must open them, and bring every payout to the same end
 * (`OldStores.test.ts`).
 *
 * For a commit that lacks this script, copy the script into a checkout of that commit.
 */
import type * as Address from "@effect-klaytn/core/Address"
import type * as Hash from "@effect-klaytn/core/Hash"
import * as Database from "@effect-klaytn/engine/Database"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import * as stores from "../src/internal/store.js"
import * as Payouts from "../src/Payouts.js"
import * as PayoutState from "../src/PayoutState.js"
import * as Backend from "../test/support/backend.js"

/** Where the folders of all versions are. */
export const folder = join(import.meta.dirname, "../test/stores")

const files = ["payouts", "sandbox"] as const

/** The end of a payout, without what depends on the time: its block. */
export interface End {
  readonly key: string
  readonly state: string
  readonly attempt: number | null
  readonly nonce: number | null
  readonly transactionHash: string | null
}

/** How all payouts ended, and all payments that the chain has then. */
export interface Ends {
  readonly payouts: ReadonlyArray<End>
  readonly payments: ReadonlyArray<{
    readonly from: string
    readonly nonce: number
    readonly value: string
    readonly hash: string
  }>
}

/** The sandbox of the stores. */
export const sandbox = (dir: string, mining: "auto" | "manual"): Sandbox.Options => ({
  seed: "stores",
  database: join(dir, "sandbox.sqlite"),
  walletKey: Redacted.make("stores"),
  mining
})

/** The database of the payouts. */
export const fileOf = (dir: string) => join(dir, "payouts.sqlite")

const day = 86_400_000

const policy = { maxPerTransaction: 100n, window: { max: 10n ** 24n, duration: day } }
/** The transaction that waited for a block is gone with the sandbox's pool: it is sent again after `stuckAfter`. */
export const options: Payouts.Options = { policy, approveAbove: 50n, stuckAfter: "1 second" }

const limits = { max: 10n ** 24n, maxFees: undefined, millis: day }

const eventsOf = (by: Hash.Hash) =>
  ({
    planned: undefined,
    reserved: [],
    sending: [{ _tag: "SendBegun" }],
    unknown: [{ _tag: "SendBegun" }, { _tag: "Unclear", attempt: 1, send: 1, problem: "no answer" }],
    superseded: [{ _tag: "SendBegun" }, { _tag: "Overtaken", attempt: 1, by }]
  }) satisfies Readonly<Record<string, ReadonlyArray<PayoutState.PayoutEvent> | undefined>>

const storedKeys = ["planned", "reserved", "sending", "unknown", "superseded"] as const

type Accounts = ReadonlyMap<string, Address.Address>

const accountOf = (accounts: Accounts, key: string): Address.Address => {
  const found = accounts.get(key)
  if (found === undefined) throw new Error(`${key} has no account`)
  return found
}

/** Payouts whose states last, by the service itself: ended ones, one that waits for a person, and one that waits for a block. */
const makeLasting = (dir: string, accounts: Accounts) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const { chains } = yield* Sandbox.Sandbox
    const order = (key: string, value = 5n) => Backend.order(key, accountOf(accounts, key), value)
    yield* payouts.pay(order("executed"))
    yield* payouts.pay(order("refused", 101n))
    for (const key of ["waiting", "cancelled"]) {
      yield* payouts.submit(order(key, 60n))
      yield* Backend.until(payouts.get(key), ({ state }) => state._tag === "WaitingForApproval")
    }
    yield* payouts.cancel("cancelled")
    yield* chains.chain(1001).setMining("manual")
    yield* payouts.submit(order("sent"))
    yield* Backend.until(payouts.get("sent"), ({ state }) => state._tag === "Sent")
    yield* payouts.storeCursor("reader", "3")
  }).pipe(Effect.provide(Backend.process(options, fileOf(dir))))

/** Payouts whose states pass in a moment, as a process leaves them that dies there. */
const makePassing = (dir: string, accounts: Accounts, overtaken: Hash.Hash) =>
  Effect.gen(function*() {
    const store = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => stores.make(sql.withoutTransforms(), "klaytn", limits)
    )
    const executed = yield* Effect.flatten(store.find("executed"))
    for (const key of storedKeys) {
      const from = accountOf(accounts, key)
      const { content } = executed
      yield* store.insert(key, { ...content, request: { ...content.request, from } }, null)
      const events = eventsOf(overtaken)[key]
      if (events === undefined) continue
      yield* store.advance(1001, from, 1)
      yield* store.reserve(key, { value: 5n, fee: 1n })
      for (const event of events) {
        yield* Effect.flatten(store.apply(key, event))
      }
    }
    // The file alone then has everything.
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA wal_checkpoint(TRUNCATE)`)
  }).pipe(Effect.provide(Database.layerSqlite({ file: fileOf(dir) })))

/** Makes both databases. */
const make = (dir: string) =>
  Effect.gen(function*() {
    const accounts = new Map<string, Address.Address>()
    for (const key of ["executed", "refused", "waiting", "cancelled", "sent", ...storedKeys]) {
      accounts.set(key, yield* Backend.account())
    }
    const stranger = yield* Backend.stranger
    const taken = yield* stranger.sendValue({
      from: accountOf(accounts, "superseded"),
      to: Backend.aside,
      value: 2n,
      payer: FeeDelegation.service
    })
    if (taken._tag !== "Sent") throw new Error(`the sandbox answered ${taken._tag}`)
    yield* makeLasting(dir, accounts)
    yield* makePassing(dir, accounts, taken.transactionHash)
  }).pipe((test) => Backend.onSandbox(test, sandbox(dir, "auto")))

const endOf = ({ key, state }: { readonly key: string; readonly state: PayoutState.PayoutState }): End => ({
  key,
  state: state._tag,
  attempt: "attempt" in state ? state.attempt ?? null : null,
  nonce: "nonce" in state ? state.nonce ?? null : null,
  transactionHash: "transactionHash" in state ? state.transactionHash ?? null : null
})

/**
 * Continues both databases until every payout has ended. Those that wait for a person are approved, and those that have no limits
 * are adopted, by the one who owns them.
 */
export const finish = (dir: string) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const { items } = yield* payouts.list({ size: 100 })
    for (const { key, limits, state } of items) {
      if (limits === null && (PayoutState.isUnbegun(state) || state._tag === "WaitingForApproval")) {
        yield* payouts.adopt(key)
      }
      if (state._tag === "WaitingForApproval") yield* payouts.approve(key)
    }
    const ended = yield* Effect.forEach(items, ({ key }) => payouts.wait(key), { concurrency: "unbounded" })
    const payments = yield* Backend.payments
    const byName = (left: string, right: string) => left < right ? -1 : 1
    return {
      payouts: ended.map(endOf).sort((left, right) => byName(left.key, right.key)),
      payments: payments
        .map(({ from, hash, nonce, value }) => ({ from, nonce, value: String(value), hash }))
        .sort((left, right) => byName(`${left.from} ${left.nonce}`, `${right.from} ${right.nonce}`))
    } satisfies Ends
  }).pipe(
    Effect.provide(Backend.process(options, fileOf(dir))),
    (test) => Backend.onSandbox(test, sandbox(dir, "auto"))
  )

/** Copies the stores of a version into a folder, and returns how they end. */
export const unpack = (version: string, dir: string): Ends => {
  for (const name of files) {
    writeFileSync(join(dir, `${name}.sqlite`), gunzipSync(readFileSync(join(folder, version, `${name}.sqlite.gz`))))
  }
  return JSON.parse(readFileSync(join(folder, version, "ends.json"), "utf8")) as Ends // written below
}

const write = (version: string) =>
  Effect.gen(function*() {
    const dir = mkdtempSync(join(tmpdir(), "stores-"))
    yield* make(dir)
    const target = join(folder, version)
    mkdirSync(target, { recursive: true })
    for (const name of files) {
      writeFileSync(
        join(target, `${name}.sqlite.gz`),
        gzipSync(readFileSync(join(dir, `${name}.sqlite`)), { level: 9 })
      )
    }
    const ends = yield* finish(dir)
    writeFileSync(join(target, "ends.json"), `${JSON.stringify(ends, undefined, 2)}\n`)
    rmSync(dir, { recursive: true })
  })

if (process.argv[1] === import.meta.filename) {
  const [version] = process.argv.slice(2)
  if (version === undefined) throw new Error("name the version: npx tsx packages/payouts/scripts/stores.ts VERSION")
  await Effect.runPromise(write(version))
}
