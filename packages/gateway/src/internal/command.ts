/**
 * What the command `klaytn gateway` loads of this package. The command may bring another copy of Effect than this package: no
 * `Redacted` passes between the two, which only the copy that made it can read.
 */
import * as IndexScope from "@effect-klaytn/indexer/IndexScope"
import * as PostgresIndex from "@effect-klaytn/indexer/PostgresIndex"
import type { PresetRecord as Preset } from "@effect-klaytn/indexer/TransferRecord"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import * as CallerFile from "../CallerFile.js"
import * as Gateway from "../Gateway.js"
import type { GatewayError } from "../GatewayError.js"
import type { WalletOptions } from "../GatewayWallet.js"
import * as PresetFile from "../PresetFile.js"
import type { NewPreset, Presets } from "../Presets.js"
import { type ManagedCallers, managedIn } from "./callersIn.js"
import * as postgres from "./postgres.js"
import * as PresetTable from "./PresetTable.js"
import * as refusals from "./startRefusals.js"

export type { PresetRecord as Preset } from "@effect-klaytn/indexer/TransferRecord"
export type { Caller, CallerOptions, MovableCallers } from "../CallerFile.js"
export type { Service as Running } from "../Gateway.js"
export type { GatewayError } from "../GatewayError.js"
export type { GatewayStatus } from "../GatewayStatus.js"
export * as wallet from "./walletCommands.js"

/** The options of a gateway, with the secrets of the node's address as they were read. */
export interface Options extends Omit<Gateway.Options, "node" | "accounts" | "contracts" | "wallet"> {
  readonly node: { readonly url: string; readonly authorization?: string | undefined }
  /** The text of a file of accounts. */
  readonly accounts?: string | undefined
  /** The text of a file of contracts. */
  readonly contracts?: string | undefined
  /** Serves the wallet. `key` is the key that seals its secrets. */
  readonly wallet?: Omit<WalletOptions, "key"> & { readonly key?: string | undefined } | undefined
}

/** What a file says, if there is one. `list` names it in the error. */
const readList = <A>(
  list: string,
  text: string | undefined,
  parse: (text: string) => Either.Either<A, IndexScope.InvalidScope>
): Either.Either<A | undefined, GatewayError> =>
  text === undefined
    ? Either.right(undefined)
    : Either.mapLeft(parse(text), ({ message }) => refusals.start(`the file of ${list}: ${message}`))

/** Starts a gateway for the lifetime of a scope. */
export const start = (
  { accounts, contracts, node: { authorization, url }, wallet, ...options }: Options
): Effect.Effect<Gateway.Service, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    return yield* Gateway.make({
      ...options,
      ...(wallet !== undefined && {
        wallet: { ...wallet, key: wallet.key === undefined ? undefined : Redacted.make(wallet.key) }
      }),
      accounts: yield* readList("accounts", accounts, IndexScope.parseAccounts),
      contracts: yield* readList("contracts", contracts, IndexScope.parseContracts),
      node: {
        url: Redacted.make(url),
        ...(authorization === undefined ? {} : { authorization: Redacted.make(authorization) })
      }
    })
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Runs on an index in Postgres, whose tables a gateway has made. */
const inPostgres = <A>(
  database: string,
  schema: string | undefined,
  use: (schema: string) => Effect.Effect<A, GatewayError, SqlClient>
): Effect.Effect<A, GatewayError> =>
  Effect.scoped(Effect.gen(function*() {
    const name = yield* postgres.schemaOf(schema)
    return yield* Effect.provideServiceEffect(use(name), SqlClient, postgres.client(database, postgres.answering(4)))
  }))

/** Runs on the callers of a database. A file is made by the first caller that is added. */
const withCallers = <A>(
  database: string,
  schema: string | undefined,
  use: (callers: ManagedCallers) => Effect.Effect<A, GatewayError>
): Effect.Effect<A, GatewayError> => Effect.scoped(Effect.flatMap(managedIn(database, schema), use))

/** Runs on the callers of a database that has some. */
const withKnown = <A>(
  database: string,
  schema: string | undefined,
  use: (callers: ManagedCallers) => Effect.Effect<A, GatewayError>
): Effect.Effect<A, GatewayError> => {
  const file = CallerFile.beside(database)
  return postgres.isAddress(database) || existsSync(file) || existsSync(CallerFile.walletBeside(file))
    ? withCallers(database, schema, use)
    : refusals.caller(`${file}: there are no callers yet; klaytn gateway callers add NAME creates one`)
}

/** The callers of a database. */
export const callers = {
  add: (
    database: string,
    name: string,
    options: CallerFile.CallerOptions = {},
    schema?: string
  ): Effect.Effect<CallerFile.Caller & { readonly secretAccessKey: string }, GatewayError> =>
    Effect.map(
      withCallers(database, schema, ({ add }) => add(name, options)),
      ({ secretAccessKey, ...caller }) => ({ ...caller, secretAccessKey: Redacted.value(secretAccessKey) })
    ),
  list: (database: string, schema?: string): Effect.Effect<ReadonlyArray<CallerFile.Caller>, GatewayError> =>
    withKnown(database, schema, ({ list }) => list),
  revoke: (database: string, name: string, schema?: string): Effect.Effect<void, GatewayError> =>
    withKnown(database, schema, ({ revoke }) => revoke(name)),
  /** Those whose rights for the wallet an older version has left beside the index. */
  movable: (database: string, schema?: string): Effect.Effect<CallerFile.MovableCallers, GatewayError> =>
    withKnown(database, schema, ({ movable }) => movable),
  move: (
    database: string,
    fingerprint: string,
    schema?: string
  ): Effect.Effect<ReadonlyArray<string>, GatewayError> => withKnown(database, schema, ({ move }) => move(fingerprint))
}

/** Runs on the presets of a database. */
const withPresets = <A>(
  database: string,
  schema: string | undefined,
  use: (presets: Presets) => Effect.Effect<A, GatewayError>
): Effect.Effect<A, GatewayError> =>
  postgres.isAddress(database)
    ? inPostgres(database, schema, (schema) =>
      Effect.flatMap(
        Effect.mapError(
          PostgresIndex.open({ schema }),
          (failure) => refusals.database(failure._tag === "StoreFailure" ? failure.cause : failure)
        ),
        (store) => use(PresetTable.make(store))
      ))
    : Effect.scoped(Effect.flatMap(PresetFile.open(PresetFile.beside(database)), use))

/** Presets that are there: whoever misspells a database makes none. */
const withKnownPresets: typeof withPresets = (database, schema, use) => {
  const file = PresetFile.beside(database)
  return postgres.isAddress(database) || existsSync(file)
    ? withPresets(database, schema, use)
    : refusals.preset(`${file}: there are no presets yet; klaytn gateway presets add NAME makes one`)
}

/** The presets of a database. */
export const presets = {
  add: (database: string, preset: NewPreset, schema?: string): Effect.Effect<Preset, GatewayError> =>
    withPresets(database, schema, ({ add }) => add(preset)),
  list: (database: string, schema?: string): Effect.Effect<ReadonlyArray<Preset>, GatewayError> =>
    withKnownPresets(database, schema, ({ list }) => list),
  remove: (database: string, id: number, schema?: string): Effect.Effect<void, GatewayError> =>
    withKnownPresets(database, schema, ({ remove }) => remove(id))
}
