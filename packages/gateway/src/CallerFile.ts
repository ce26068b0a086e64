/**
 * The callers of a gateway: credentials that are created and revoked while it runs.
 *
 * **Details**
 *
 * The file contains the name, the access key ID and a hash of each credential, and no secret. A secret is 256 random bits:
 * too many to try out, however fast hashing is. So SHA-256 is enough, and a password's slow hash would only slow every
 * request. Each hash includes the ID, which is random and different for each caller, so equal
 * hashes never occur. A gateway looks a credential up for each request: a caller that was revoked is refused from the next
 * request on.
 *
 * **Example** (a caller that is created, and let in)
 *
 * ```ts
 * import * as CallerFile from "@effect-klaytn/gateway/CallerFile"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const callers = yield* CallerFile.open(CallerFile.beside("index.db"))
 *   const { accessKeyId, secretAccessKey } = yield* callers.add("accounting")
 *   return { accessKeyId, secretAccessKey }
 * }))
 * ```
 */
import type { Limits, Right, WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import { integer, named, nullable, text, withDefault } from "@effect-klaytn/indexer/Column"
import * as DatabaseFile from "@effect-klaytn/indexer/DatabaseFile"
import { atomically } from "@effect-klaytn/indexer/Driver"
import { select } from "@effect-klaytn/indexer/Query"
import { table } from "@effect-klaytn/indexer/Table"
import type { Callers } from "@effect-klaytn/service/ServiceAccess"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { closeSync, openSync } from "node:fs"
import type { GatewayError } from "./GatewayError.js"
import * as callerRights from "./internal/callerRights.js"
import * as credentials from "./internal/credentials.js"
import * as refusals from "./internal/startRefusals.js"

/**
 * A caller, without its secret.
 *
 * @category models
 */
export interface Caller {
  /** 1 to 64 letters, digits, dots, hyphens and underscores. */
  readonly name: string
  readonly accessKeyId: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly rights: ReadonlyArray<Right>
  /** The pools of the wallet that the caller sees; undefined for all. */
  readonly pools: ReadonlyArray<string> | undefined
  readonly limits: Limits
}

/**
 * What a caller may do.
 *
 * @category models
 */
export interface CallerOptions {
  /** `read`: history, tokens and the node. `wallet`: accounts, keys and sends. Default: `read` alone. */
  readonly rights?: ReadonlyArray<Right> | undefined
  /** The names of the pools that the caller sees. Default: all. */
  readonly pools?: ReadonlyArray<string> | undefined
  /** What the caller may have signed, see `WalletCaller` of `@effect-klaytn/custody`. Default: no limits. */
  readonly limits?: Limits | undefined
}

/**
 * A caller that was just created: the only time that its secret is shown.
 *
 * @category models
 */
export interface NewCaller extends Caller {
  readonly secretAccessKey: Redacted.Redacted<string>
}

/**
 * An open file of callers.
 *
 * @category models
 */
export interface CallerFile {
  /** Creates a caller. Fails with the reason `Caller` if the name or an option is not valid, or the name is taken. */
  readonly add: (name: string, options?: CallerOptions) => Effect.Effect<NewCaller, GatewayError>
  /** In the order of their names. */
  readonly list: Effect.Effect<ReadonlyArray<Caller>, GatewayError>
  /** Removes a caller for good. Fails with the reason `Caller` if there is none of this name. */
  readonly revoke: (name: string) => Effect.Effect<void, GatewayError>
  /** Checks an `Authorization` header against the file as it is now. Throws if the file can't be read. */
  readonly check: Callers["check"]
  /** The caller of an `Authorization` header; undefined if no caller has that ID. Call `check` first. */
  readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  /** The caller of a name; undefined if there is none, or none any more. Throws if the file can't be read. */
  readonly callerNamed: (name: string) => WalletCaller | undefined
}

const callers = table("callers", {
  name: text,
  accessKeyId: named("access_key_id", text),
  /** SHA-256 of ID, colon and secret, in Base64. */
  hash: text,
  /** Unix seconds. */
  createdAt: named("created", integer),
  /** With commas between them. Callers of version 1 had this right alone. */
  rights: withDefault(text, "read"),
  pools: nullable(text),
  /** JSON. */
  limits: withDefault(text, "{}")
}, { primaryKey: ["name"], unique: ["accessKeyId"] })

const callerFiles: DatabaseFile.Kind = {
  program: "gateway",
  applicationId: 0x6b676c63,
  version: 2,
  upgrade: (driver) => callers.ensure(driver),
  isShared: true
}

/**
 * The file of callers that belongs to a database.
 *
 * @category conversions
 */
export const beside = (database: string): string => `${database}.callers`

/** Only its owner may read the file, from the moment that it exists. */
const create = (file: string): void => closeSync(openSync(file, "a", 0o600))

type Row = Pick<Caller, "name" | "accessKeyId" | "createdAt"> & {
  readonly rights: string
  readonly pools: string | undefined
  readonly limits: string
}

const toCaller = ({ limits, pools, rights, ...row }: Row): Caller => ({
  ...row,
  rights: callerRights.readRights(rights),
  pools: callerRights.readPools(pools),
  limits: callerRights.readLimits(limits)
})

const make = (file: string) => {
  if (file !== ":memory:") create(file)
  const driver = DatabaseFile.open(file, callerFiles)
  const { hash, ...shown } = callers.as("c")
  return {
    driver,
    find: callers.find(driver),
    hashOfId: select(driver, { hash }, "FROM callers c WHERE c.access_key_id = ?1"),
    ofId: select(driver, shown, "FROM callers c WHERE c.access_key_id = ?1"),
    ofName: select(driver, shown, "FROM callers c WHERE c.name = ?1"),
    listed: select(driver, shown, "FROM callers c ORDER BY c.name"),
    insert: callers.insert(driver),
    remove: callers.remove(driver)
  }
}

/**
 * Opens or creates a file of callers, which is closed with the scope. Several processes may have it open at the same time.
 *
 * @category constructors
 */
export const open = (file: string): Effect.Effect<CallerFile, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const { driver, find, hashOfId, insert, listed, ofId, ofName, remove } = yield* Effect.acquireRelease(
      refusals.attempt(() => make(file)),
      ({ driver }) => Effect.sync(() => driver.close())
    )
    return {
      add: (name, options = {}) =>
        Effect.gen(function*() {
          const limits = yield* callerRights.check(options)
          const { pools, rights = ["read"] } = options
          const { caller, hash } = yield* credentials.create(name)
          const { accessKeyId, createdAt } = caller
          const isNew = yield* refusals.attempt(() =>
            atomically(driver, () => {
              if (find({ name }) !== undefined) return false
              insert({
                name,
                accessKeyId,
                hash,
                createdAt,
                rights: rights.join(),
                pools: pools?.join(),
                limits: callerRights.writeLimits(limits)
              })
              return true
            })
          )
          return isNew ? { ...caller, rights, pools, limits } : yield* credentials.taken(name)
        }),
      list: refusals.attempt(() => listed.all().map(toCaller)),
      revoke: (name) =>
        Effect.gen(function*() {
          const isKnown = yield* refusals.attempt(() =>
            atomically(driver, () => {
              if (find({ name }) === undefined) return false
              remove({ name })
              return true
            })
          )
          if (!isKnown) return yield* credentials.unknown(name)
        }),
      check: (header) => credentials.verdict(header, (id) => hashOfId.first(id)?.hash),
      callerOf: (header) => {
        const row = ofId.first(credentials.idOf(header))
        return row && toCaller(row)
      },
      callerNamed: (name) => {
        const row = ofName.first(name)
        return row && toCaller(row)
      }
    }
  })
