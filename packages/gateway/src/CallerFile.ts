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
 * A caller with rights for the wallet is in the file of the wallet, with its credential, pools and limits: the file of callers gives the
 * right to read alone, so who may write it can't spend. Rights for the wallet that an older version has left there don't count
 * until they are moved, see {@link CallerFile.movable}.
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
import type { Limits, NamedCaller, Right, WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import type { Callers } from "@effect-klaytn/service/ServiceAccess"
import { integer, named, nullable, text, withDefault } from "@effect-klaytn/store/Column"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import { atomically } from "@effect-klaytn/store/Driver"
import { select } from "@effect-klaytn/store/Query"
import { table } from "@effect-klaytn/store/Table"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import type { GatewayError } from "./GatewayError.js"
import type { Row } from "./internal/callerRights.js"
import * as managedCallers from "./internal/managedCallers.js"
import * as ownFile from "./internal/ownFile.js"
import * as refusals from "./internal/startRefusals.js"
import * as walletCallerReader from "./internal/walletCallerReader.js"
import * as walletFile from "./internal/walletFile.js"

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
 * Callers whose rights for the wallet are where an older version has left them, beside the index.
 *
 * @category models
 */
export interface MovableCallers {
  /** As they will be. */
  readonly callers: ReadonlyArray<Caller>
  /** Names exactly these, with their credentials and limits. */
  readonly fingerprint: string
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
  /**
   * Removes a caller for good. If it had rights for the wallet, the wallet records when they were taken: its sends that are under way are
   * cancelled, also if the name is added again. Fails with the reason `Caller` if there is none of this name.
   */
  readonly revoke: (name: string) => Effect.Effect<void, GatewayError>
  /** The callers that {@link CallerFile.move} moves. Look at them: who may write the file could have made one. */
  readonly movable: Effect.Effect<MovableCallers, GatewayError>
  /**
   * Moves the rights of the callers with this fingerprint into the wallet, once, and gives their names. Fails with the reason `Caller` if
   * the callers are other ones by now.
   */
  readonly move: (fingerprint: string) => Effect.Effect<ReadonlyArray<string>, GatewayError>
  /** Checks an `Authorization` header against the file as it is now. Throws if the file can't be read. */
  readonly check: Callers["check"]
  /** The caller of an `Authorization` header; undefined if no caller has that ID. Call `check` first. */
  readonly callerOf: (header: string | undefined) => WalletCaller | undefined
  /**
   * What a name stands for in the wallet as it is now: a caller, and which sends are of one that was revoked, see
   * {@link CallerFile.revoke}.
   */
  readonly callerNamed: (name: string) => Effect.Effect<NamedCaller, GatewayError>
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

/** A row of the file. */
type Kept = Pick<Caller, "name" | "accessKeyId" | "createdAt"> & {
  readonly hash: string
  readonly rights: string
  readonly pools: string | undefined
  readonly limits: string
}

const toRow = ({ accessKeyId, createdAt, pools, ...row }: Kept): Row => ({
  ...row,
  access_key_id: accessKeyId,
  created: createdAt,
  pools: pools ?? null
})

const ofRow = ({ access_key_id, created, pools, ...row }: Row): Kept => ({
  ...row,
  accessKeyId: access_key_id,
  createdAt: Number(created),
  pools: pools ?? undefined
})

const make = (file: string) => {
  if (file !== ":memory:") ownFile.create(file)
  const driver = DatabaseFile.open(file, callerFiles)
  const c = callers.as("c")
  const find = callers.find(driver)
  const insert = callers.insert(driver)
  const put = callers.put(driver)
  const remove = callers.remove(driver)
  const byId = select(driver, c, "FROM callers c WHERE c.access_key_id = ?1")
  const byName = select(driver, c, "FROM callers c WHERE c.name = ?1")
  const listed = select(driver, c, "FROM callers c ORDER BY c.name")
  const index: managedCallers.Index = {
    rows: refusals.attempt(() => listed.all().map(toRow)),
    add: (row) =>
      refusals.attempt(() =>
        atomically(driver, () => {
          if (find({ name: row.name }) !== undefined) return false
          insert(ofRow(row))
          return true
        })
      ),
    put: (row) => refusals.attempt(() => atomically(driver, () => put(ofRow(row)))),
    revoke: (name) =>
      refusals.attempt(() =>
        atomically(driver, () => {
          if (find({ name }) === undefined) return false
          remove({ name })
          return true
        })
      )
  }
  const found = (row: Kept | undefined) => row && toRow(row)
  const finder: managedCallers.Finder = {
    ofId: (id) => found(byId.first(id)),
    ofName: (name) => found(byName.first(name))
  }
  return { driver, index, finder }
}

/**
 * The file of the wallet that belongs to a file of callers: it has those with rights for the wallet.
 *
 * @category conversions
 */
export const walletBeside = (file: string): string => `${file.replace(/\.callers$/, "")}.wallet`

/**
 * Opens or creates a file of callers, which is closed with the scope. Several processes may have it open at the same time. `wallet` is
 * the file of the wallet, which is made with the first caller that has rights for the wallet. Default: the one beside the file.
 *
 * @category constructors
 */
export const open = (
  file: string,
  wallet = walletBeside(file)
): Effect.Effect<CallerFile, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    const { finder, index } = yield* Effect.acquireRelease(
      refusals.attempt(() => make(file)),
      ({ driver }) => Effect.sync(() => driver.close())
    )
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => walletCallerReader.make(wallet)),
      ({ close }) => Effect.sync(close)
    )
    const { callerOf, check } = managedCallers.known(reader, finder)
    return {
      ...managedCallers.make({
        index,
        wallet: walletFile.openDatabase(wallet),
        hasWallet: () => existsSync(wallet)
      }),
      check,
      callerOf,
      callerNamed: (name) => refusals.attempt(() => managedCallers.named(reader.ofName(name), reader.wasRevoked(name)))
    }
  })
