import { type Payer, poolTypes, type WeightedKey } from "@effect-klaytn/custody/WalletRecord"
import { indexVersion } from "@effect-klaytn/indexer/IndexTables"
import {
  bytes,
  type Column,
  flag,
  generated,
  hex,
  integer,
  json,
  named,
  nullable,
  oneOf,
  text
} from "@effect-klaytn/store/Column"
import { table } from "@effect-klaytn/store/Table"

/** The version of the tables below. Raise it with every change of them. */
const ownVersion = 10

/**
 * The version of a file: both parts only rise, so an older sandbox has a lower sum and refuses the file. An older file is
 * given the tables, columns and indexes that it lacks; a new column needs a default or must be nullable.
 */
export const schemaVersion = ownVersion + indexVersion

/** Facts about the database as a whole, such as its seed. */
export const meta = table("meta", { name: text, value: text }, { primaryKey: ["name"], withoutRowid: true })

/** Contract code by its Keccak-256 hash, shared by both chains. */
export const codes = table("codes", { hash: bytes, code: bytes }, { primaryKey: ["hash"] })

/** The two chains. Each has tables of its own, so that no statement can mix them. */
export const chainIds = [8217, 1001] as const

/** The world state: accounts by address, storage by address and slot. */
export const state = table("state", { key: bytes, value: bytes }, { primaryKey: ["key"], withoutRowid: true })

/** Values of the state before a block changed them; NULL if there was none. */
export const stateHistory = table("state_history", {
  key: bytes,
  block: integer,
  previous: nullable(bytes)
}, { primaryKey: ["key", "block"], withoutRowid: true })

/** The bytes of transactions with blobs as they were sent, by hash: blocks have them without blobs. */
export const blobs = table("blobs", { hash: hex, block: integer, raw: bytes }, {
  primaryKey: ["hash"],
  indexes: { block: { on: ["block"] } }
})

/** The transactions that waited for a block when the sandbox ended in order. */
export const waiting = table("waiting", { id: generated, raw: hex, sender: hex, isUnsigned: named("unsigned", flag) }, {
  primaryKey: ["id"]
})

// --- the wallet: not part of the chain, so a revert does not change it ---

export const walletPools = table("wallet_pools", {
  id: generated,
  type: oneOf(...poolTypes),
  name: text,
  createdAt: named("created", integer)
}, {
  primaryKey: ["id"],
  unique: ["type", "name"],
  rows: poolTypes.map((type) => ({ type, name: "default", createdAt: 0 }))
})

/** Sealed keys, see `Vault`. A deleted key keeps its row, so that a cursor at it stays valid. */
export const walletKeys = table("wallet_keys", {
  id: generated,
  pool: integer,
  hash: hex,
  publicKey: hex,
  sealed: nullable(bytes),
  created: integer,
  deleted: nullable(integer)
}, {
  primaryKey: ["id"],
  unique: ["hash"],
  indexes: { pool: { on: ["pool", "id"] }, public: { on: ["publicKey"] } }
})

/** Accounts and fee payers. A deleted one keeps its row, as a key does. */
export const walletAccounts = table("wallet_accounts", {
  id: generated,
  pool: integer,
  address: hex,
  key: integer,
  isDisabled: named("disabled", flag),
  createdAt: named("created", integer),
  updatedAt: named("updated", integer),
  deleted: nullable(integer),
  threshold: nullable(integer),
  keys: nullable(json<ReadonlyArray<WeightedKey>>())
}, {
  primaryKey: ["id"],
  indexes: {
    address: { on: ["address"], isUnique: true, where: "deleted IS NULL" },
    pool: { on: ["pool", "id"] },
    key: { on: ["key"] }
  }
})

const payer: Column<Payer> = {
  type: "TEXT",
  encode: (value) => value,
  decode: (cell, name) => cell === "sender" || cell === "global" ? cell : `0x${text.decode(cell, name).slice(2)}`
}

/** Transactions of multisig accounts, pending or sent. */
export const walletPending = table("wallet_pending", {
  id: generated,
  transactionId: hex,
  account: hex,
  raw: hex,
  payer,
  threshold: integer,
  keys: json<ReadonlyArray<WeightedKey>>(),
  status: integer,
  hash: nullable(hex),
  createdAt: named("created", integer),
  updatedAt: named("updated", integer),
  caller: nullable(text),
  credential: nullable(text),
  nonce: nullable(integer)
}, {
  primaryKey: ["id"],
  unique: ["transactionId"],
  indexes: { account: { on: ["account", "id"] }, keys: { on: ["keys"], where: "status = 2" } }
})

/** The tables of each chain, besides those of its index. */
export const chainTables = [
  state,
  stateHistory,
  blobs,
  waiting,
  walletPools,
  walletKeys,
  walletAccounts,
  walletPending
] as const
