/**
 * The keys that seal a wallet's secrets: each secret has a data key of its own, a root key seals the data keys, and the master key
 * seals the root key.
 *
 * **Details**
 *
 * The database holds sealed keys only. A keyring holds the root key in memory, so the master key is asked for once, when the
 * wallet is opened, and no signature waits for a key management service.
 *
 * {@link rekey} makes a new root, seals every data key with the new root, deletes the root before, and has the files written anew:
 * afterwards, the old master key and the old root open nothing of the database. Running keyrings take the new root over by a link,
 * which is deleted with the old root, and go on reading all the time.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import * as AuditLog from "./AuditLog.js"
import { StoreFailure } from "./CustodyError.js"
import * as dataKey from "./internal/dataKey.js"
import { erase } from "./internal/erase.js"
import * as rows from "./internal/rows.js"
import * as tables from "./internal/tables.js"
import { keyBytes, type KeyWrapper } from "./KeyWrapper.js"
import { MasterKeyError } from "./MasterKeyError.js"
import { type Sealer, Vault } from "./Vault.js"

/** A root as the database has it. */
interface StoredRoot {
  readonly generation: number
  readonly wrapped: Uint8Array
  /** The root, sealed by the root before. */
  readonly link: Uint8Array | undefined
}

type Failure = MasterKeyError | StoreFailure

const linkName = (generation: number): string => `link to root ${generation}`

const wrong = new MasterKeyError({ reason: "Wrong", message: "the wallet was sealed with another master key" })

const lost = new MasterKeyError({
  reason: "Lost",
  message: "the wallet has keys, but the database has lost the root key that seals them: restore a backup"
})

const toRoot = (row: rows.Row): StoredRoot => ({
  generation: rows.number(row, "generation"),
  wrapped: rows.bytes(row, "wrapped"),
  link: rows.optional(rows.bytes)(row, "link")
})

const selectRoots = (sql: SqlClient.SqlClient, chain: Chain) =>
  sql`SELECT generation, wrapped, link FROM ${sql(tables.nameOf("roots", chain))} ORDER BY generation`

const readRoots = (sql: SqlClient.SqlClient, chain: Chain) => rows.select("roots", selectRoots(sql, chain), toRoot)

/** The roots, which nobody changes until the transaction ends: one of SQLite has the lock of all writers. */
const lockRoots = (sql: SqlClient.SqlClient, chain: Chain) =>
  rows.select(
    "roots",
    sql.onDialectOrElse({
      pg: () => sql`${selectRoots(sql, chain)} FOR UPDATE`,
      orElse: () => selectRoots(sql, chain)
    }),
    toRoot
  )

const count = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    rows.first(
      "count",
      sql`SELECT count(*) AS secrets FROM ${sql(table)} WHERE sealed IS NOT NULL`,
      (row) => rows.number(row, "secrets")
    ),
    (found = 0) => found
  )

/** The tables whose column `sealed` a keyring seals, and the column that names a row. */
const sealedTables = [["keys", "hash"], ["sealed", "name"], ["secrets", "name"]] as const

/** Those of them that the database has. */
const presentTables = (sql: SqlClient.SqlClient, chain: Chain) =>
  Effect.map(tables.namesOf(sql, chain), (names) =>
    sealedTables.flatMap(([table, key]) => {
      const name = tables.nameOf(table, chain)
      return names.includes(name) ? [[name, key] as const] : []
    }))

const openRoot = (wrapper: KeyWrapper, { generation, wrapped }: Pick<StoredRoot, "generation" | "wrapped">) =>
  Effect.flatMap(wrapper.unwrap(wrapped), (key) => {
    if (key.length !== keyBytes) return wrong
    const vault = new Vault(key)
    key.fill(0)
    return Effect.succeed<dataKey.Root>({ generation, vault })
  })

/**
 * Opens secrets by roots as a database has them, without the database: those of a backup. Fails with `Wrong` if another master key
 * sealed one of them.
 *
 * @category constructors
 */
export const ofRoots = (
  wrapper: KeyWrapper,
  stored: ReadonlyArray<{ readonly generation: number; readonly wrapped: Uint8Array }>
): Effect.Effect<Pick<Sealer, "open">, MasterKeyError> =>
  Effect.map(
    Effect.forEach(stored, (root) => openRoot(wrapper, root)),
    (roots) => ({ open: (name, sealed) => openWith(roots, name, sealed) })
  )

/**
 * Checks a master key against a database, and writes nothing. Gives whether the wallet has been made. Fails with `Wrong` if another
 * master key sealed the wallet, and with `Lost` if the wallet has keys and no root.
 *
 * @category guards
 */
export const check = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper
): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    const names = yield* tables.namesOf(sql, chain)
    const roots = names.includes(tables.nameOf("roots", chain)) ? yield* readRoots(sql, chain) : []
    yield* Effect.forEach(roots, (root) => openRoot(wrapper, root), { discard: true })
    if (roots.length > 0) return true
    for (const [table] of yield* presentTables(sql, chain)) {
      if ((yield* count(sql, table)) > 0) return yield* lost
    }
    return false
  })

/**
 * Whether a wallet has been made in a database: it has a root, or keys. Writes nothing.
 *
 * @category guards
 */
export const isMade = (sql: SqlClient.SqlClient, chain: Chain): Effect.Effect<boolean, StoreFailure> =>
  Effect.gen(function*() {
    const names = yield* tables.namesOf(sql, chain)
    if (names.includes(tables.nameOf("roots", chain)) && (yield* readRoots(sql, chain)).length > 0) return true
    return yield* Effect.exists(
      yield* presentTables(sql, chain),
      ([table]) => Effect.map(count(sql, table), (found) => found > 0)
    )
  })

const insertRoot = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  { generation, link, wrapped }: StoredRoot,
  now: number
) =>
  rows.change(
    "roots",
    sql`INSERT INTO ${sql(tables.nameOf("roots", chain))} (generation, wrapped, link, created)
      VALUES (${generation}, ${wrapped}, ${link ?? null}, ${now}) ON CONFLICT DO NOTHING`
  )

/** Makes the first root of a wallet without keys. */
const begin = (sql: SqlClient.SqlClient, chain: Chain, wrapper: KeyWrapper) =>
  Effect.gen(function*() {
    const key = randomBytes(keyBytes)
    const wrapped = yield* wrapper.wrap(key)
    key.fill(0)
    yield* insertRoot(sql, chain, { generation: 1, wrapped, link: undefined }, yield* UnixTime.now)
  })

const rootOf = (roots: ReadonlyArray<dataKey.Root>, sealed: Uint8Array): dataKey.Root | undefined => {
  const generation = dataKey.generationOf(sealed)
  return roots.find((root) => root.generation === generation)
}

const openWith = (
  roots: ReadonlyArray<dataKey.Root>,
  name: string,
  sealed: Uint8Array
): Uint8Array | undefined => {
  const root = rootOf(roots, sealed)
  return root === undefined ? undefined : dataKey.open(root, name, sealed)
}

/**
 * Seals secrets with the newest root, and opens those of every root that the database has.
 *
 * @category models
 */
export class Keyring implements Sealer {
  readonly #sql: SqlClient.SqlClient
  readonly #chain: Chain
  #roots: ReadonlyArray<dataKey.Root>

  constructor(
    sql: SqlClient.SqlClient,
    chain: Chain,
    roots: ReadonlyArray<{ readonly generation: number; readonly vault: Vault }>
  ) {
    this.#sql = sql
    this.#chain = chain
    this.#roots = roots
  }

  seal(name: string, secret: Uint8Array): Uint8Array {
    const newest = this.#roots.at(-1)
    if (newest === undefined) throw new Error("a keyring has no root")
    return dataKey.seal(newest, name, secret)
  }

  open(name: string, sealed: Uint8Array): Uint8Array | undefined {
    return openWith(this.#roots, name, sealed)
  }

  /** The same secret, sealed by the newest root; undefined if this keyring can't open the secret. */
  renew(sealed: Uint8Array): Uint8Array | undefined {
    const newest = this.#roots.at(-1)
    const root = rootOf(this.#roots, sealed)
    return root === undefined || newest === undefined ? undefined : dataKey.rewrap(root, newest, sealed)
  }

  /** The generation of the newest root. */
  get newest(): number | undefined {
    return this.#roots.at(-1)?.generation
  }

  /** Whether the newest root seals these bytes. */
  isNewest(sealed: Uint8Array): boolean {
    return dataKey.generationOf(sealed) === this.newest
  }

  /**
   * Runs the insertion of a sealed secret. Fails, and inserts nothing, if the root that seals the secret is deleted meanwhile.
   */
  keeping(sealed: Uint8Array) {
    const sql = this.#sql
    const generation = dataKey.generationOf(sealed) ?? 0
    const roots = sql(tables.nameOf("roots", this.#chain))
    const found = rows.first(
      "roots",
      sql.onDialectOrElse({
        pg: () => sql`SELECT generation FROM ${roots} WHERE generation = ${generation} FOR SHARE`,
        // A transaction of SQLite holds the lock of all writers.
        orElse: () => sql`SELECT generation FROM ${roots} WHERE generation = ${generation}`
      }),
      rows.exists
    )
    const gone = new StoreFailure({
      operation: "seal",
      cause: new Error("the master key was changed: start again with the new one")
    })
    const held = Effect.filterOrFail(found, Predicate.isNotUndefined, () => gone)
    return <A, E, R>(insert: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreFailure, R> =>
      tables.atomically(sql, "seal")(Effect.zipRight(held, insert))
  }

  /** Takes over the roots that {@link rekey} has made, and forgets those that it has deleted. */
  get refresh(): Effect.Effect<void, Failure> {
    return Effect.gen(this, function*() {
      const stored = yield* readRoots(this.#sql, this.#chain)
      const known = new Map(this.#roots.map((root) => [root.generation, root]))
      const roots: Array<dataKey.Root> = []
      for (const { generation, link } of stored) {
        const root = known.get(generation) ?? followed(known.get(generation - 1), generation, link)
        if (root === undefined) return yield* wrong
        known.set(generation, root)
        roots.push(root)
      }
      if (roots.length === 0) return yield* lost
      this.#roots = roots
    })
  }
}

/** The next root, by the link that the one before seals. */
const followed = (
  before: dataKey.Root | undefined,
  generation: number,
  link: Uint8Array | undefined
): dataKey.Root | undefined => {
  const key = link && before?.vault.open(linkName(generation), link)
  if (key === undefined) return undefined
  const vault = new Vault(key)
  key.fill(0)
  return { generation, vault }
}

/**
 * Opens the keyring of a database that has the tables, without following later changes of the master key.
 *
 * @category constructors
 */
export const load = (sql: SqlClient.SqlClient, chain: Chain, wrapper: KeyWrapper): Effect.Effect<Keyring, Failure> =>
  Effect.gen(function*() {
    if (!(yield* check(sql, chain, wrapper))) yield* begin(sql, chain, wrapper)
    const roots = yield* Effect.forEach(yield* readRoots(sql, chain), (root) => openRoot(wrapper, root))
    return new Keyring(sql, chain, roots)
  })

/** How often a keyring looks for a new root. */
const followEvery = "1 second"

/**
 * Opens the keyring of a database whose tables (`GuardTables`, `CustodyTables`) are there, and follows changes of the master key for
 * the time of a scope. A wallet without keys gets its first root. Call {@link check} before the tables are made or upgraded.
 *
 * @category constructors
 */
export const open = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  wrapper: KeyWrapper
): Effect.Effect<Keyring, Failure, Scope.Scope> =>
  Effect.gen(function*() {
    const keyring = yield* load(sql, chain, wrapper)
    yield* keyring.refresh.pipe(
      Effect.catchAll((failure) =>
        DatabaseLog.failure(
          `whether a rekey has changed the wallet's keys can't be read, look at its database: ${failure.message}`,
          failure
        )
      ),
      Effect.repeat(Schedule.spaced(followEvery)),
      Effect.forkScoped
    )
    return keyring
  })

/** How many rows are sealed anew in one transaction. */
const batch = 500

interface SealedRow {
  readonly name: unknown
  readonly sealed: Uint8Array
}

/** Seals the rows of a table with the newest root, and gives how many there were. */
const renewTable = (sql: SqlClient.SqlClient, keyring: Keyring, table: string, key: string) =>
  Effect.gen(function*() {
    const from = sql(table)
    let renewed = 0
    for (let last: unknown = undefined;;) {
      const found = yield* rows.select(
        "rekey",
        sql`SELECT ${sql(key)} AS name, sealed FROM ${from} WHERE sealed IS NOT NULL ${
          last === undefined ? sql.literal("") : sql`AND ${sql(key)} > ${last}`
        } ORDER BY ${sql(key)} LIMIT ${batch}`,
        (row): SealedRow => ({ name: rows.cell(row, "name"), sealed: rows.bytes(row, "sealed") })
      )
      const old = found.filter(({ sealed }) => !keyring.isNewest(sealed))
      yield* tables.atomically(sql, "rekey")(
        Effect.forEach(old, ({ name, sealed }) => {
          const next = keyring.renew(sealed)
          // A key that was deleted meanwhile stays deleted.
          return next === undefined
            ? new StoreFailure({ operation: "rekey", cause: new Error("a sealed secret was changed in the database") })
            : rows.change(
              "rekey",
              sql`UPDATE ${from} SET sealed = ${next} WHERE ${sql(key)} = ${name} AND sealed = ${sealed}`
            )
        }, { discard: true })
      )
      renewed += old.length
      last = found.at(-1)?.name
      if (found.length < batch) return renewed
    }
  })

/** Seals anew what is not sealed with the newest root yet, in all tables. Gives how many secrets. */
const renewTables = (sql: SqlClient.SqlClient, chain: Chain, keyring: Keyring) =>
  Effect.gen(function*() {
    let renewed = 0
    for (const [table, key] of yield* presentTables(sql, chain)) renewed += yield* renewTable(sql, keyring, table, key)
    return renewed
  })

/** All roots with the new master key, and the next one. A key management service may take seconds: no lock is held meanwhile. */
const rewrapped = (roots: ReadonlyArray<StoredRoot>, from: KeyWrapper, to: KeyWrapper) =>
  Effect.gen(function*() {
    const newest = roots.at(-1)
    if (newest === undefined) return yield* lost
    const again: Array<StoredRoot> = []
    for (const root of roots) {
      const key = yield* from.unwrap(root.wrapped)
      again.push({ ...root, wrapped: yield* to.wrap(key) })
      key.fill(0)
    }
    const before = yield* openRoot(from, newest)
    const generation = newest.generation + 1
    const key = randomBytes(keyBytes)
    const wrapped = yield* to.wrap(key)
    const link = before.vault.seal(linkName(generation), key)
    key.fill(0)
    return { again, next: { generation, wrapped, link } }
  })

const areSame = (one: ReadonlyArray<StoredRoot>, other: ReadonlyArray<StoredRoot>): boolean =>
  one.length === other.length && one.every(({ generation, wrapped }, at) => {
    const root = other[at]
    return root?.generation === generation && Buffer.compare(wrapped, root.wrapped) === 0
  })

const another = new StoreFailure({
  operation: "rekey",
  cause: new Error("another process changes the master key too: only one of the two is done")
})

/** Makes the next root, and stores all roots with the new master key, in one transaction. */
const beginRekey = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  from: KeyWrapper,
  to: KeyWrapper
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const roots = yield* readRoots(sql, chain)
    const { again, next } = yield* rewrapped(roots, from, to)
    yield* tables.atomically(sql, "rekey")(Effect.gen(function*() {
      if (!areSame(roots, yield* lockRoots(sql, chain))) return yield* another
      for (const { generation, wrapped } of again) {
        yield* rows.change(
          "rekey",
          sql`UPDATE ${sql(tables.nameOf("roots", chain))} SET wrapped = ${wrapped} WHERE generation = ${generation}`
        )
      }
      yield* insertRoot(sql, chain, next, yield* UnixTime.now)
    }))
  })

/** Deletes all roots but the newest. Gives how many secrets were sealed anew for it. */
const finishRekey = (sql: SqlClient.SqlClient, chain: Chain, keyring: Keyring) => {
  const roots = sql(tables.nameOf("roots", chain))
  return tables.atomically(sql, "rekey")(
    Effect.gen(function*() {
      const newest = (yield* lockRoots(sql, chain)).at(-1)?.generation
      if (newest === undefined || newest !== keyring.newest) return yield* another
      yield* rows.change("rekey", sql`DELETE FROM ${roots} WHERE generation < ${newest}`)
      yield* rows.change("rekey", sql`UPDATE ${roots} SET link = NULL`)
      // A process that had the old root may have added keys meanwhile.
      return yield* renewTables(sql, chain, keyring)
    })
  )
}

/**
 * What {@link rekey} did.
 *
 * @category models
 */
export interface Rekeyed {
  /** How many secrets are sealed with the new root. */
  readonly secrets: number
  /** Whether an earlier change of the master key, which was stopped, was finished. */
  readonly isResumed: boolean
  /**
   * What may still have bytes of before, and what to do about it, a sentence each. Empty for a file of SQLite that was written anew;
   * for Postgres, what only the owner of the server can delete.
   */
  readonly left: ReadonlyArray<string>
}

const readPatience = Input.decode(
  "Keyring.rekey",
  Schema.Struct({ patience: Input.duration("expected a duration, 0 or more") })
)

/** Writes a line of the audit log, whichever of the two master keys opens the log. */
const note = (sql: SqlClient.SqlClient, chain: Chain, wrapper: KeyWrapper, what: string) =>
  Effect.gen(function*() {
    const log = yield* AuditLog.open(sql, chain, yield* load(sql, chain, wrapper))
    yield* log.append({ event: "owner", what })
  })

/**
 * Changes the master key and the root key. Reads and signatures go on meanwhile. If the process is stopped, the same call again
 * finishes what is left: until the first transaction the database has the old master key, and from then on the new one. Two lines of
 * the audit log say when it began and ended.
 *
 * In the end, the file of SQLite is written anew and its `-wal` file is emptied; in Postgres, the tables that had sealed secrets are
 * written into new files (`VACUUM (FULL)`), for which other processes wait a moment.
 *
 * `patience` is how long running processes have to take over the new root. Default: 5 seconds. Fails with `InvalidInput` for no
 * duration.
 *
 * @category changes
 */
export const rekey = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  options: {
    readonly from: KeyWrapper
    readonly to: KeyWrapper
    readonly patience?: Duration.DurationInput | undefined
  }
): Effect.Effect<Rekeyed, Failure | InvalidInput> =>
  Effect.gen(function*() {
    const { from, to } = options
    const { patience } = yield* readPatience({ patience: options.patience ?? "5 seconds" })
    const has = (wrapper: KeyWrapper) => Effect.isSuccess(check(sql, chain, wrapper))
    // A change that was stopped in the end has deleted the old roots, and has left the files as they were.
    const isResumed = (yield* has(to)) && ((yield* readRoots(sql, chain)).length > 1 || !(yield* has(from)))
    if (!isResumed) {
      yield* check(sql, chain, from)
      yield* note(sql, chain, from, "rekey begins")
      yield* beginRekey(sql, chain, from, to)
    }
    yield* Effect.sleep(patience)
    const keyring = yield* load(sql, chain, to)
    const secrets = (yield* renewTables(sql, chain, keyring)) + (yield* finishRekey(sql, chain, keyring))
    const left = yield* erase(sql, chain)
    yield* note(sql, chain, to, "rekey is done")
    return { secrets, isResumed, left }
  })
