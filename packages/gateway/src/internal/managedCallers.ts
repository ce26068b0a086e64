/** The callers of a database: the right to read is in the index, and everything about the wallet in the wallet's own database. */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { NamedCaller, Right } from "@effect-klaytn/custody/WalletCaller"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import type { GatewayError } from "../GatewayError.js"
import * as callerRights from "./callerRights.js"
import * as credentials from "./credentials.js"
import * as refusals from "./startRefusals.js"
import * as WalletCallers from "./WalletCallers.js"
import * as walletFile from "./walletFile.js"

/** Finds callers, now. Throws if they can't be read. */
export interface Finder {
  readonly ofId: (accessKeyId: string) => callerRights.Row | undefined
  readonly ofName: (name: string) => callerRights.Row | undefined
}

/** Finds callers among these rows. */
export const finderOf = (rows: ReadonlyArray<callerRights.Row>): Finder => {
  const byId = new Map(rows.map((row) => [row.access_key_id, row]))
  const byName = new Map(rows.map((row) => [row.name, row]))
  return { ofId: (id) => byId.get(id), ofName: (name) => byName.get(name) }
}

/** What a row of the index says that counts: who may write the index can let callers read, and nothing more. */
const reader = (row: callerRights.Row): callerRights.StoredCaller => {
  const { rights } = callerRights.toCaller({ ...row, pools: null, limits: "{}" })
  return callerRights.toCaller({
    ...row,
    rights: callerRights.ofIndex(rights.join()).join(),
    pools: null,
    limits: "{}"
  })
}

/** A caller by the rows that the wallet and the index have of it. */
const merged = (own: callerRights.Row | undefined, other: callerRights.Row | undefined) => {
  const reading = other && reader(other)
  if (own === undefined) return reading
  const caller = callerRights.toCaller(own)
  return { ...caller, rights: [...(reading?.rights ?? []), ...caller.rights] }
}

/** What a name stands for. One that the index alone knows has no rights for the wallet that could be taken. */
export const named = (own: callerRights.Row | undefined, wasRevoked: boolean): NamedCaller => ({
  caller: own && callerRights.toCaller(own),
  ...(wasRevoked && { revokedBefore: own === undefined ? Infinity : Number(own.created) })
})

/** Checks credentials: one that the wallet knows by what the wallet has. */
export const known = (wallet: Finder, index: Finder) => ({
  check: (header: string | undefined) => credentials.verdict(header, (id) => (wallet.ofId(id) ?? index.ofId(id))?.hash),
  callerOf: (header: string | undefined) => {
    const id = credentials.idOf(header)
    return merged(wallet.ofId(id), index.ofId(id))
  }
})

/** Where the callers of an index are. */
export interface Index {
  readonly rows: Effect.Effect<ReadonlyArray<callerRights.Row>, GatewayError>
  /** Gives whether the name is new. */
  readonly add: (row: callerRights.Row) => Effect.Effect<boolean, GatewayError>
  /** Keeps another row of a name that is known. */
  readonly put: (row: callerRights.Row) => Effect.Effect<void, GatewayError>
  /** Gives whether there was one. */
  readonly revoke: (name: string) => Effect.Effect<boolean, GatewayError>
}

/** The callers of a database, and its wallet's, whose database is made if it is missing. */
export interface Places {
  readonly index: Index
  readonly wallet: Effect.Effect<SqlClient, GatewayError, Scope.Scope>
  /** Whether there may be a wallet's database already. */
  readonly hasWallet: () => boolean
}

/** Callers whose rights to the wallet are in the index still, and a text that names exactly these. */
export interface Movable {
  readonly callers: ReadonlyArray<callerRights.StoredCaller>
  readonly fingerprint: string
}

export const hasWalletRight = ({ rights }: callerRights.Row): boolean => callerRights.ofWallet(rights).length > 0

const fingerprintOf = (rows: ReadonlyArray<callerRights.Row>): string =>
  createHash("sha256").update(JSON.stringify(rows.map((row) => [
    row.name,
    row.access_key_id,
    row.hash,
    String(row.created),
    row.rights,
    row.pools,
    row.limits
  ]))).digest("hex").slice(0, 16)

/** What is told of callers that were not moved; undefined if there are none. */
export const unmoved = (names: ReadonlyArray<string>): string | undefined =>
  names.length === 0
    ? undefined
    : `callers have rights for the wallet in the index, where these don't count any more: ${names.join(", ")}; ` +
      "klaytn gateway callers move shows them, and moves them into the wallet"

/** Moves callers of the index into the wallet. */
const moving = (
  index: Index,
  own: Effect.Effect<ReadonlyArray<callerRights.Row>, GatewayError>,
  movable: Index["rows"],
  opened: Places["wallet"]
) =>
(fingerprint: string): Effect.Effect<ReadonlyArray<string>, GatewayError> =>
  Effect.gen(function*() {
    const rows = yield* movable
    if (rows.length === 0) return yield* refusals.caller("no caller of the index has rights for the wallet")
    if (fingerprintOf(rows) !== fingerprint) {
      return yield* refusals.caller("the callers of the index are not those that were shown: look at them again")
    }
    const now = yield* UnixTime.now
    const mine = yield* own
    const isTaken = (row: callerRights.Row) =>
      mine.some(({ access_key_id, hash }) => access_key_id === row.access_key_id && hash === row.hash)
    // A move that was stopped in between is finished.
    const taken = rows.filter((row) => !isTaken(row))
      .map((row) => ({ ...row, rights: callerRights.ofWallet(row.rights).join() }))
    if (taken.length > 0) {
      yield* Effect.scoped(Effect.flatMap(opened, (sql) => WalletCallers.take(sql, taken, now)))
    }
    for (const row of rows) {
      const reading = callerRights.ofIndex(row.rights)
      yield* reading.length > 0
        ? index.put({ ...row, rights: reading.join(), pools: null, limits: "{}" })
        : index.revoke(row.name)
    }
    return rows.map(({ name }) => name)
  })

/** The callers of the wallet and of the index, in the order of their names. A row that can't be read is passed over, and named. */
export const listOf = (
  mine: ReadonlyArray<callerRights.Row>,
  others: ReadonlyArray<callerRights.Row>
): Effect.Effect<ReadonlyArray<callerRights.StoredCaller>> => {
  const [wallet, index] = [finderOf(mine), finderOf(others)]
  const find = (name: string) => {
    const own = wallet.ofName(name)
    return own === undefined ? merged(undefined, index.ofName(name)) : merged(own, index.ofId(own.access_key_id))
  }
  const read = (name: string) =>
    refusals.attempt(() => find(name)).pipe(
      Effect.catchAll(({ message }) =>
        Effect.as(
          Effect.logWarning(`the row of the caller ${name} can't be read, and lets nobody in: revoke it; ${message}`),
          undefined
        )
      )
    )
  const names = new Set([...mine, ...others].map(({ name }) => name))
  return Effect.map(
    Effect.forEach([...names].toSorted(), read),
    (found) => found.filter((caller) => caller !== undefined)
  )
}

/** Creates, lists, revokes and moves callers. */
export const make = ({ hasWallet, index, wallet }: Places) => {
  const opened = Effect.tap(wallet, (sql) => Effect.zipRight(walletFile.makeSchema(sql), WalletCallers.makeTables(sql)))
  const within = <A>(use: (sql: SqlClient) => Effect.Effect<A, GatewayError>, otherwise: A) =>
    hasWallet() ? Effect.scoped(Effect.flatMap(wallet, use)) : Effect.succeed(otherwise)
  const own = Effect.suspend(() => within(WalletCallers.rows, []))

  const names = Effect.map(
    Effect.all([own, index.rows]),
    (rows) => new Set(rows.flat().map(({ name }) => name))
  )

  const list = Effect.flatMap(Effect.all([own, index.rows]), ([mine, others]) => listOf(mine, others))

  const movable = Effect.map(index.rows, (rows) => rows.filter(hasWalletRight))

  return {
    add: (name: string, options: callerRights.CallerOptions = {}) =>
      Effect.gen(function*() {
        const limits = yield* callerRights.check(options)
        const { pools, rights = ["read"] } = options
        const { caller, hash } = yield* credentials.create(name)
        if ((yield* names).has(name)) return yield* credentials.taken(name)
        const row = (kept: ReadonlyArray<Right>, isOwn: boolean): callerRights.Row => ({
          name,
          access_key_id: caller.accessKeyId,
          hash,
          created: caller.createdAt,
          rights: kept.join(),
          pools: isOwn ? pools?.join() ?? null : null,
          limits: isOwn ? callerRights.writeLimits(limits) : "{}"
        })
        const [reading, owning] = [callerRights.ofIndex(rights.join()), callerRights.ofWallet(rights.join())]
        const isNew = Effect.gen(function*() {
          if (reading.length > 0 && !(yield* index.add(row(reading, false)))) return false
          if (owning.length === 0) return true
          const isAdded = yield* Effect.scoped(
            Effect.flatMap(opened, (sql) => WalletCallers.add(sql, row(owning, true)))
          )
          if (!isAdded && reading.length > 0) yield* index.revoke(name)
          return isAdded
        })
        return (yield* isNew) ? { ...caller, rights, pools, limits } : yield* credentials.taken(name)
      }),
    list,
    revoke: (name: string) =>
      Effect.gen(function*() {
        const now = yield* UnixTime.now
        const ofWallet = Effect.scoped(Effect.flatMap(opened, (sql) => WalletCallers.revoke(sql, name, now)))
        // The wallet's rights first: the index may be held up by others.
        const isOwn = (yield* own).some((row) => row.name === name)
        if (isOwn) yield* ofWallet
        const ofIndex = Effect.gen(function*() {
          // Rights that an older version has left in the index may have sends under way, too.
          if (!isOwn && (yield* movable).some((row) => row.name === name)) yield* ofWallet
          return yield* index.revoke(name)
        })
        const wasReader = yield* Effect.mapError(ofIndex, (error) =>
          isOwn
            ? refusals.caller(
              `${name} has no rights for the wallet any more, and may read the index still: ${error.message}; revoke again`
            )
            : error)
        if (!isOwn && !wasReader) return yield* credentials.unknown(name)
      }),
    movable: Effect.flatMap(
      movable,
      (rows) =>
        refusals.attempt((): Movable => ({
          callers: rows.map(callerRights.toCaller),
          fingerprint: fingerprintOf(rows)
        }))
    ),
    move: moving(index, own, movable, opened)
  }
}
