/** What `klaytn gateway wallet` does with a wallet in a file or in Postgres, also while gateways use the wallet. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as AuditedStore from "@effect-klaytn/custody/AuditedStore"
import type { AuditHead, AuditLine } from "@effect-klaytn/custody/AuditLog"
import * as Keyring from "@effect-klaytn/custody/Keyring"
import * as Keystore from "@effect-klaytn/custody/Keystore"
import * as KeyTransfer from "@effect-klaytn/custody/KeyTransfer"
import * as OwnerLock from "@effect-klaytn/custody/OwnerLock"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import * as WalletBackup from "@effect-klaytn/custody/WalletBackup"
import * as WalletGuard from "@effect-klaytn/custody/WalletGuard"
import * as WalletRepair from "@effect-klaytn/custody/WalletRepair"
import * as NewFile from "@effect-klaytn/store/NewFile"
import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import { beside } from "../GatewayWallet.js"
import * as newKeys from "./newKeys.js"
import * as postgres from "./postgres.js"
import * as refusals from "./startRefusals.js"
import * as walletFile from "./walletFile.js"
import * as walletKey from "./walletKey.js"
import * as walletOf from "./walletOf.js"
import type { StatusOptions } from "./walletStatus.js"

/** Where the master key is, without a `Redacted` of another copy of Effect. */
export interface KeySource {
  readonly key?: string | undefined
  readonly keyFile?: string | undefined
  readonly keyCommand?: string | undefined
}

/** The database of the commands below, whose wallet belongs to an index in a schema of Postgres. */
export const inSchema = (database: string, schema: string | undefined): Effect.Effect<string, GatewayError> =>
  schema !== undefined && postgres.isAddress(database)
    ? Effect.map(postgres.schemaOf(schema), (name) => beside(database, name))
    : Effect.succeed(database)

const keyOptions = ({ key, ...source }: KeySource): walletKey.KeyOptions => ({
  ...source,
  key: key === undefined ? undefined : Redacted.make(key)
})

const refuse = ({ message }: { readonly message: string }): GatewayError => refusals.wallet(message)

/** Runs with an existing wallet and its keys. */
const withWallet = <A>(
  database: string,
  source: KeySource,
  use: (
    opened: walletFile.WalletFile & { readonly chain: Chain.Chain }
  ) => Effect.Effect<A, { readonly message: string }>,
  options: Pick<walletFile.OpenOptions, "upgradesTables"> = {}
): Effect.Effect<A, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const { chain, file } = yield* walletFile.existing(beside(database))
    const opened = yield* walletFile.open(file, chain, { ...keyOptions(source), ...options })
    return yield* Effect.mapError(use({ ...opened, chain }), refuse)
  }))

/** What stops or lets go on all signing waits for no upgrade. */
const urgently = { upgradesTables: false }

/** Nothing is made for a status: neither tables nor a key. */
export { status, type WalletStatus } from "./walletStatus.js"

/**
 * Freezes the wallet: by a file, which needs no key and no database, and is returned; or in Postgres. The file of a wallet that is not
 * there would freeze nothing.
 */
export const freeze = (database: string, source: KeySource = {}): Effect.Effect<string | undefined, GatewayError> =>
  Effect.gen(function*() {
    const wallet = beside(database)
    const file = walletFile.freezeFile(wallet)
    if (file !== undefined) {
      if (!existsSync(wallet)) return yield* walletFile.missing(wallet)
      yield* refusals.attempt(() => writeFileSync(file, "", { mode: 0o600 }))
      return file
    }
    yield* withWallet(database, source, ({ guard }) => guard.freeze("klaytn gateway wallet freeze"), urgently)
    return undefined
  })

/** Whether the database of a wallet freezes it. Needs no key. */
const isFrozenInside = (database: string): Effect.Effect<boolean, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const { chain, sql } = yield* walletFile.existing(beside(database))
    const frozen = yield* Effect.mapError(WalletGuard.reader({ sql, chain }).frozen, refuse)
    return frozen !== undefined
  }))

/**
 * Removes the file that freezes the wallet, for which no key is needed, and ends what a program or a command has frozen in the database,
 * which needs the master key. The audit log has a line of both; of the file alone only if the master key is at hand.
 */
export const unfreeze = (database: string, source: KeySource): Effect.Effect<void, GatewayError> =>
  Effect.gen(function*() {
    const inside = withWallet(database, source, ({ guard }) => guard.unfreeze, urgently)
    const file = walletFile.freezeFile(beside(database))
    yield* file === undefined || (yield* isFrozenInside(database)) ? inside : Effect.catchAll(
      inside,
      ({ message }) => Effect.logWarning(`the audit log has no line of this unfreeze: ${message}`)
    )
    if (file !== undefined) yield* refusals.attempt(() => rmSync(file, { force: true }))
  })

/** The rows of the wallet that can't be read. Needs no key. */
export const unreadableRows = (
  database: string
): Effect.Effect<ReadonlyArray<WalletRepair.UnreadableRow>, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const { chain, sql } = yield* walletFile.readable(beside(database))
    return yield* Effect.mapError(WalletRepair.find(sql, chain), refuse)
  }))

/** Ends a row by the owner's word. */
export const endRow = (
  database: string,
  source: KeySource,
  row: WalletRepair.Ended
): Effect.Effect<void, GatewayError> =>
  withWallet(
    database,
    source,
    ({ audit, chain, sql }) => OwnerLock.take(sql, chain, "repair")(WalletRepair.end(sql, chain, audit, row))
  )

/** Changes the master key. */
export const rekey = (
  database: string,
  from: KeySource,
  to: KeySource,
  patience?: number
): Effect.Effect<Keyring.Rekeyed, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const { chain, file, sql } = yield* walletFile.existing(beside(database))
    const [old, next] = yield* Effect.forEach(
      [from, to],
      (source) => walletKey.read(file, keyOptions(source), false)
    )
    if (old === undefined || next === undefined) return yield* refusals.wallet("two master keys are needed")
    const isOwner = Effect.orElse(Keyring.check(sql, chain, next), () => Keyring.check(sql, chain, old))
    yield* Effect.mapError(isOwner, refuse)
    yield* walletFile.makeTables(sql, chain)
    return yield* Keyring.rekey(sql, chain, { from: old, to: next, patience }).pipe(
      OwnerLock.take(sql, chain, "rekey"),
      Effect.mapError(refuse)
    )
  }))

const refuseExisting = (file: string): Effect.Effect<void, GatewayError> =>
  existsSync(file) ? refusals.wallet(`there is a file ${file} already: choose another name`) : Effect.void

/** Writes a backup, and opens the file. */
export const backup = (
  database: string,
  source: KeySource,
  target: string
): Effect.Effect<{ readonly keys: number }, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    yield* refuseExisting(target)
    const { chain, file, sql } = yield* walletFile.existing(beside(database))
    const wrapper = yield* walletKey.read(file, keyOptions(source), false)
    yield* Effect.mapError(Keyring.check(sql, chain, wrapper), refuse)
    yield* walletFile.makeTables(sql, chain)
    const { bytes } = yield* WalletBackup.make(sql, chain, wrapper, noble).pipe(
      OwnerLock.take(sql, chain, "backup"),
      Effect.mapError(refuse)
    )
    const keys = yield* NewFile.write(target, bytes, {
      failed: refusals.database,
      check: (written) =>
        Effect.mapError(
          WalletBackup.verify(written, chain, wrapper, noble),
          ({ message }) => refusals.wallet(`${target} is not what was written: check the disk; ${message}`)
        )
    })
    return { keys }
  }))

/** Makes the wallet of a backup. Keys of requests that the backup does not have are refused unless `acceptsNewKeys`. */
export const restore = (
  database: string,
  source: KeySource,
  from: string,
  acceptsNewKeys = false
): Effect.Effect<{ readonly keys: number }, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const file = beside(database)
    if (!existsSync(from)) return yield* refusals.wallet(`there is no file ${from}: name a backup of a wallet`)
    const bytes = yield* refusals.attempt(() => readFileSync(from))
    const chain = WalletBackup.chainOf(bytes)
    if (!Chain.is(chain)) return yield* refusals.wallet(`${from} is no backup of a wallet`)
    const wrapper = yield* walletKey.read(file, keyOptions(source), false)
    // A backup that is refused leaves no file.
    yield* Effect.mapError(WalletBackup.verify(bytes, chain, wrapper, noble), refuse)
    const sql = yield* walletFile.openDatabase(file)
    if (yield* walletFile.isMade(sql, chain)) {
      return yield* refusals.wallet(`${walletFile.shown(file)} has a wallet already`)
    }
    yield* walletFile.makeTables(sql, chain)
    const keys = yield* WalletBackup.restore(sql, chain, wrapper, noble, bytes, newKeys.forgetPlace(sql, chain)).pipe(
      OwnerLock.take(sql, chain, "restore"),
      Effect.mapError(refuse)
    )
    if (acceptsNewKeys) yield* acceptKeys(database, source)
    return { keys }
  }))

/** Accepts requests with an `Idempotency-Key` that the wallet does not know. */
export const acceptKeys = (database: string, source: KeySource): Effect.Effect<void, GatewayError> =>
  withWallet(database, source, (opened) =>
    Effect.zipRight(
      opened.guard.note({ event: "owner", what: "accept keys" }),
      newKeys.accept({ ...opened, file: beside(database) })
    ).pipe(OwnerLock.take(opened.sql, opened.chain, "accept-keys")))

const transfer = ({ chain, guard, keyring, sql }: walletFile.WalletFile & { readonly chain: Chain.Chain }) =>
  Effect.map(SqlSecrets.make(sql, chain).fact("customer"), (customer = ""): KeyTransfer.Parts => ({
    sql,
    chain,
    customer,
    store: AuditedStore.make(SqlWalletStore.make(sql, chain), { keyring, note: guard.note }),
    sealer: keyring,
    curve: noble,
    note: guard.note
  }))

/** A private key: as text, or in a keystore with a password. */
export type GivenKey = { readonly raw: string } | { readonly keystore: string; readonly password: string }

const publicOf = (secret: Uint8Array) =>
  refusals.attempt(() => PublicKey.addressOf(noble.publicKey(secret))).pipe(
    Effect.mapError(() => refusals.wallet("the number is no private key"))
  )

/** The address of the account of a key: the one that its keystore names, if the chain says that this is its key. */
const accountOf = (
  chain: Chain.Chain,
  secret: Uint8Array,
  named: Hex | undefined,
  node: StatusOptions["node"]
): Effect.Effect<Hex, GatewayError> =>
  Effect.gen(function*() {
    const own = yield* publicOf(secret)
    const address = named ?? own
    if (node === undefined) {
      return address === own ? own : yield* refusals.wallet(
        `the keystore is of the account ${address}, and its key is that of the address ${own}: name a node, which knows whether the ` +
          "key of the account was changed to this one"
      )
    }
    const { authorization, url } = node
    const remote = yield* walletOf.checkedChain({
      url: Redacted.make(url),
      ...(authorization === undefined ? {} : { authorization: Redacted.make(authorization) })
    }, chain)
    const isKey = KeyTransfer.isKeyOf({ chain: remote, curve: noble }, address, secret)
    return (yield* Effect.mapError(isKey, ({ message }) => refusals.node(message)))
      ? address
      : yield* refusals.wallet(
        `the account ${address} has another key on the chain than this one, or more than one: nothing was imported`
      )
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))

/** Adds an account with its private key. A node is asked whether this is the account's key; default: none, and the key is believed. */
export const importAccount = (
  database: string,
  source: KeySource,
  pool: { readonly type: "account-pool" | "feepayer-pool"; readonly name: string },
  given: GivenKey,
  { node }: Pick<StatusOptions, "node"> = {}
): Effect.Effect<string, GatewayError> =>
  withWallet(database, source, (opened) =>
    Effect.gen(function*() {
      const secret = yield* "raw" in given
        ? Keystore.raw(Redacted.make(given.raw))
        : Keystore.open(given.keystore, Redacted.make(given.password))
      const parts = yield* transfer(opened)
      const named = "raw" in given ? undefined : yield* Keystore.addressOf(given.keystore)
      return yield* Effect.flatMap(
        accountOf(opened.chain, secret, named, node),
        (account) => KeyTransfer.importAccount(parts, pool, secret, account)
      ).pipe(
        OwnerLock.take(opened.sql, opened.chain, "import"),
        Effect.ensuring(Effect.sync(() => secret.fill(0)))
      )
    }))

/** The keystore of an account, which the password opens. */
export const exportAccount = (
  database: string,
  source: KeySource,
  address: string,
  password: string
): Effect.Effect<string, GatewayError> =>
  withWallet(database, source, (opened) =>
    Effect.gen(function*() {
      const secret = yield* KeyTransfer.exportAccount(yield* transfer(opened), lowerCase(address))
      return yield* Effect.ensuring(
        Keystore.seal(secret, address, Redacted.make(password)),
        Effect.sync(() => secret.fill(0))
      )
    }))

/** A key that was deleted, and when its secret may be destroyed. */
export interface DeletedKey {
  readonly keyId: string
  readonly pool: string
  /** The accounts whose own key it is, deleted or not. */
  readonly addresses: ReadonlyArray<string>
  /** When its time began: it was deleted, or an account that used it let go of it. Unix seconds. */
  readonly deletedAt: number
  /** Whether an account that is not deleted uses it, alone or with others: it is not destroyed as long as that is so. */
  readonly isUsed: boolean
}

/** The keys that were deleted and can be had back, the longest deleted first. */
export const deleted = (
  database: string,
  source: KeySource
): Effect.Effect<ReadonlyArray<DeletedKey>, GatewayError> =>
  withWallet(database, source, (opened) =>
    Effect.gen(function*() {
      const { store } = yield* transfer(opened)
      const found = yield* store.deletedKeys
      return found.map(({ key, ...rest }) => ({ keyId: key.hash, pool: key.pool.name, ...rest }))
    }))

/** Gives an account that was deleted back, or a key by the last part of its ID, and gives its pool. */
export const undelete = (
  database: string,
  source: KeySource,
  what: string
): Effect.Effect<{ readonly pool: string }, GatewayError> =>
  withWallet(database, source, (opened) =>
    Effect.gen(function*() {
      const parts = yield* transfer(opened)
      const name = lowerCase(what.slice(what.lastIndexOf(":") + 1))
      const pool = yield* Effect.zipRight(
        opened.guard.note({ event: "owner", what: "undelete", subject: name }),
        name.length === 42 ? KeyTransfer.undeleteAccount(parts, name) : KeyTransfer.undeleteKey(parts, name)
      ).pipe(OwnerLock.take(opened.sql, opened.chain, "undelete"))
      return { pool }
    }))

/** Checks the audit log, and gives its last line. */
export const verifyAudit = (
  database: string,
  source: KeySource,
  kept?: AuditHead
): Effect.Effect<AuditHead | undefined, GatewayError> => withWallet(database, source, ({ audit }) => audit.verify(kept))

/** Lines of the audit log behind a number. */
export const auditLines = (
  database: string,
  source: KeySource,
  after: number
): Effect.Effect<ReadonlyArray<AuditLine>, GatewayError> =>
  withWallet(database, source, ({ audit }) => audit.after(after))
