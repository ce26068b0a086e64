import { integer } from "./Cell.js"
import type { Driver } from "./Driver.js"
import { tallyAll } from "./tally.js"

/** The two chains; each has its own set of tables, so that no statement can mix them. */
export const chainIds = [8217, 1001] as const

/** ID of a chain. */
export type ChainId = (typeof chainIds)[number]

/**
 * Keys of things inside a block carry the block: `number * 2^20 + position`. They sort as the chain happened, bound a
 * block range by two integers, and stay below 2^53 for 2^33 blocks.
 */
export const slotsPerBlock = 2 ** 20

/** The highest block whose keys are exact numbers. */
export const highestBlock = 2 ** 33 - 1

/** Whether a block has such a position at all: the next key after its last is that of another block. */
export const hasKey = (block: number, position: number): boolean =>
  block >= 0 && block <= highestBlock && position >= 0 && position < slotsPerBlock

/** Key of the thing at a position of a block. Throws where there is none. */
export const keyOf = (block: number, position: number): number => {
  if (!hasKey(block, position)) throw new RangeError(`there is no key for position ${position} of block ${block}`)
  return block * slotsPerBlock + position
}

/** Block of a key. */
export const blockOf = (key: number): number => Math.floor(key / slotsPerBlock)

/** Position of a key inside its block. */
export const positionOf = (key: number): number => key % slotsPerBlock

/** Class of a transfer row: its kind, with native records of value zero set apart so that an index can leave them out. */
export const transferClass = { coin: 0, ft: 1, nft: 2, mt: 3, zeroCoin: 4 } as const

const chainTables = (c: ChainId): string => `
CREATE TABLE blocks_${c} (
  number INTEGER PRIMARY KEY, hash BLOB NOT NULL, parent BLOB NOT NULL, timestamp INTEGER NOT NULL,
  gas_used INTEGER NOT NULL, bloom BLOB NOT NULL, state_root BLOB NOT NULL, transactions_root BLOB NOT NULL,
  receipts_root BLOB NOT NULL, size INTEGER NOT NULL, transactions INTEGER NOT NULL, transfers INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX blocks_hash_${c} ON blocks_${c} (hash);
CREATE INDEX blocks_timestamp_${c} ON blocks_${c} (timestamp);

CREATE TABLE transactions_${c} (
  id INTEGER PRIMARY KEY, hash BLOB NOT NULL, sender_hash BLOB, type INTEGER NOT NULL, sender BLOB NOT NULL,
  recipient BLOB, value BLOB NOT NULL, nonce INTEGER NOT NULL, gas INTEGER NOT NULL, gas_price BLOB NOT NULL,
  gas_used INTEGER NOT NULL, cumulative_gas INTEGER NOT NULL, fee BLOB NOT NULL, fee_payer BLOB, fee_ratio INTEGER,
  status INTEGER NOT NULL, tx_error INTEGER, contract BLOB, raw BLOB NOT NULL, first_log INTEGER NOT NULL,
  logs INTEGER NOT NULL, first_transfer INTEGER NOT NULL, transfers INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX transactions_hash_${c} ON transactions_${c} (hash);
CREATE INDEX transactions_sender_hash_${c} ON transactions_${c} (sender_hash) WHERE sender_hash IS NOT NULL;

CREATE TABLE logs_${c} (
  id INTEGER PRIMARY KEY, tx INTEGER NOT NULL, address BLOB NOT NULL,
  topic0 BLOB, topic1 BLOB, topic2 BLOB, topic3 BLOB, data BLOB NOT NULL
) STRICT;
CREATE INDEX logs_address_${c} ON logs_${c} (address, id);
CREATE INDEX logs_topic0_${c} ON logs_${c} (topic0, id) WHERE topic0 IS NOT NULL;

CREATE TABLE transfers_${c} (
  id INTEGER PRIMARY KEY, tx INTEGER NOT NULL, class INTEGER NOT NULL, src BLOB NOT NULL, dst BLOB NOT NULL,
  contract BLOB, operator BLOB, amount BLOB NOT NULL, batch TEXT
) STRICT;
CREATE INDEX transfers_src_${c} ON transfers_${c} (src, class, id);
CREATE INDEX transfers_dst_${c} ON transfers_${c} (dst, class, id);
CREATE INDEX transfers_src_contract_${c} ON transfers_${c} (src, contract, class, id) WHERE contract IS NOT NULL;
CREATE INDEX transfers_dst_contract_${c} ON transfers_${c} (dst, contract, class, id) WHERE contract IS NOT NULL;
CREATE INDEX transfers_contract_${c} ON transfers_${c} (contract, class, id) WHERE contract IS NOT NULL;

CREATE TABLE contracts_${c} (
  address BLOB PRIMARY KEY, kind TEXT NOT NULL, standard TEXT NOT NULL, name TEXT, symbol TEXT, decimals INTEGER,
  block INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX contracts_kind_${c} ON contracts_${c} (kind, block);

CREATE TABLE tokens_${c} (
  contract BLOB NOT NULL, token TEXT NOT NULL, owner BLOB, previous_owner BLOB, supply BLOB NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (contract, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_updated_${c} ON tokens_${c} (contract, updated);
CREATE INDEX tokens_owner_${c} ON tokens_${c} (contract, owner, updated) WHERE owner IS NOT NULL;

CREATE TABLE holdings_${c} (
  contract BLOB NOT NULL, owner BLOB NOT NULL, token TEXT NOT NULL, balance BLOB NOT NULL, updated INTEGER NOT NULL,
  PRIMARY KEY (contract, owner, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX holdings_token_${c} ON holdings_${c} (contract, token, updated);
CREATE INDEX holdings_owner_${c} ON holdings_${c} (owner, updated);

CREATE TABLE ledger_undo_${c} (
  block INTEGER NOT NULL, contract BLOB NOT NULL, owner BLOB, token TEXT NOT NULL, previous TEXT
) STRICT;
CREATE INDEX ledger_undo_block_${c} ON ledger_undo_${c} (block);

CREATE TABLE state_${c} (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE state_history_${c} (
  key BLOB NOT NULL, block INTEGER NOT NULL, previous BLOB, PRIMARY KEY (key, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE presets_${c} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, accounts TEXT NOT NULL, contracts TEXT NOT NULL
) STRICT;
`

/** What the service tells of tokens beside who owns them. */
const tokenTables = (c: ChainId): string => `
ALTER TABLE tokens_${c} ADD COLUMN uri TEXT NOT NULL DEFAULT '';
CREATE INDEX holdings_contract_${c} ON holdings_${c} (contract, owner, updated);
CREATE INDEX transfers_token_${c} ON transfers_${c} (contract, amount, id) WHERE class = ${transferClass.nft};
CREATE TABLE labels_${c} (
  address BLOB PRIMARY KEY, status TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER
) STRICT, WITHOUT ROWID;
`

/**
 * The wallet. Secret keys are sealed, see `Vault`. What was deleted keeps its row, without the secret, so that a cursor
 * that names it still has its place. Nothing here is part of the chain: a revert leaves it alone.
 */
const walletTables = (c: ChainId): string => `
CREATE TABLE wallet_pools_${c} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
  UNIQUE (type, name)
) STRICT;
INSERT INTO wallet_pools_${c} (type, name, created)
  VALUES ('account-pool', 'default', 0), ('feepayer-pool', 'default', 0), ('key-pool', 'default', 0);

CREATE TABLE wallet_keys_${c} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pool INTEGER NOT NULL, hash BLOB NOT NULL UNIQUE, public_key BLOB NOT NULL,
  sealed BLOB, created INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_keys_pool_${c} ON wallet_keys_${c} (pool, id);
CREATE INDEX wallet_keys_public_${c} ON wallet_keys_${c} (public_key);

CREATE TABLE wallet_accounts_${c} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pool INTEGER NOT NULL, address BLOB NOT NULL, key INTEGER NOT NULL,
  disabled INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER,
  threshold INTEGER, keys TEXT
) STRICT;
CREATE UNIQUE INDEX wallet_accounts_address_${c} ON wallet_accounts_${c} (address) WHERE deleted IS NULL;
CREATE INDEX wallet_accounts_pool_${c} ON wallet_accounts_${c} (pool, id);
CREATE INDEX wallet_accounts_key_${c} ON wallet_accounts_${c} (key);

CREATE TABLE wallet_pending_${c} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id BLOB NOT NULL UNIQUE, account BLOB NOT NULL, raw BLOB NOT NULL,
  payer TEXT NOT NULL, threshold INTEGER NOT NULL, keys TEXT NOT NULL, status INTEGER NOT NULL, hash BLOB,
  created INTEGER NOT NULL, updated INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_pending_account_${c} ON wallet_pending_${c} (account, id);

CREATE INDEX transactions_fee_payer_${c} ON transactions_${c} (fee_payer, id) WHERE fee_payer IS NOT NULL;
`

/** Sums and counts that are kept with every change, so that nobody has to go through all holders. */
const sumTables = (c: ChainId): string => `
ALTER TABLE contracts_${c} ADD COLUMN supply BLOB NOT NULL DEFAULT x'';
ALTER TABLE contracts_${c} ADD COLUMN holders INTEGER NOT NULL DEFAULT 0;
CREATE TABLE ownings_${c} (
  contract BLOB NOT NULL, owner BLOB NOT NULL, balance BLOB NOT NULL, tokens INTEGER NOT NULL, updated INTEGER NOT NULL,
  PRIMARY KEY (contract, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX ownings_owner_${c} ON ownings_${c} (owner, updated);
DROP INDEX holdings_contract_${c};
`

/** A step of the schema: statements, and what they cannot say. */
interface Migration {
  readonly sql: string
  readonly fill?: (driver: Driver) => void
}

/** Each entry takes the schema one version further. Entries are never changed, only added. */
export const migrations: ReadonlyArray<Migration> = [
  {
    sql: `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE codes (hash BLOB PRIMARY KEY, code BLOB NOT NULL) STRICT;
${chainIds.map(chainTables).join("")}
`
  },
  { sql: chainIds.map(tokenTables).join("") },
  { sql: chainIds.map(walletTables).join("") },
  { sql: chainIds.map(sumTables).join(""), fill: (driver) => chainIds.forEach((c) => tallyAll(driver, c)) }
]

/** What the header of our files says of who made them. */
const applicationId = 0x6b6c7962

const number = (driver: Driver, sql: string): number => {
  const row = driver.prepare(sql).all()[0]
  return row === undefined ? 0 : integer(row, 0)
}

/** Marks a file as ours. One that holds something else is refused before anything is written to it. */
export const claim = (driver: Driver): void => {
  driver.prepare("PRAGMA busy_timeout = 1000").all()
  const id = number(driver, "PRAGMA application_id")
  if (id === applicationId) return
  const tables = number(driver, "SELECT count(*) FROM sqlite_schema")
  const ours = number(driver, "SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'codes', 'blocks_8217')")
  // Files of the first versions have no mark.
  if (id !== 0 || (tables > 0 && ours < 3)) {
    throw new Error("it is a database of another program; name a file that is not there yet")
  }
  driver.exec(`PRAGMA application_id = ${applicationId}`)
}

/** Brings a database to the newest version. Fails for a file that a newer version of this package has written. */
export const migrate = (driver: Driver): void => {
  const version = number(driver, "PRAGMA user_version")
  if (version > migrations.length) {
    throw new Error(
      `it has schema version ${version} and this sandbox knows up to ${migrations.length}; use a newer sandbox`
    )
  }
  for (const [index, { fill, sql }] of migrations.entries()) {
    if (index < version) continue
    driver.exec(`BEGIN IMMEDIATE; ${sql}`)
    fill?.(driver)
    driver.exec(`PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}

/**
 * Settings of a connection: safe against the death of the process, fast enough for a block a millisecond, and the file is
 * this connection's alone, until it lets go or its process ends.
 */
export const configure = (driver: Driver): void => {
  for (
    const pragma of [
      "locking_mode = EXCLUSIVE",
      "journal_mode = WAL",
      "synchronous = NORMAL",
      "cache_size = -65536",
      "temp_store = MEMORY"
    ]
  ) driver.prepare(`PRAGMA ${pragma}`).all()
  // The lock is taken with the first write, not with the setting.
  driver.exec("BEGIN IMMEDIATE; COMMIT")
}

/** Lets others have the file. Closing alone does that only when the last prepared statement is forgotten. */
export const release = (driver: Driver): void => {
  for (const pragma of ["busy_timeout = 0", "journal_mode = DELETE", "locking_mode = NORMAL"]) {
    driver.prepare(`PRAGMA ${pragma}`).all()
  }
  number(driver, "SELECT count(*) FROM sqlite_schema")
}
