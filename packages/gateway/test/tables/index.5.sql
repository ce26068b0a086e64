PRAGMA application_id = 1801939316;

PRAGMA user_version = 5;

CREATE TABLE blocks_1001 (number INTEGER NOT NULL, hash BLOB NOT NULL, parent BLOB NOT NULL, timestamp INTEGER NOT NULL, gas_used INTEGER NOT NULL, bloom BLOB NOT NULL, state_root BLOB NOT NULL, transactions_root BLOB NOT NULL, receipts_root BLOB NOT NULL, size INTEGER NOT NULL, transactions INTEGER NOT NULL, transfers INTEGER NOT NULL, miner BLOB, gas_limit INTEGER, base_fee BLOB, mix_hash BLOB, PRIMARY KEY (number)) STRICT;

CREATE UNIQUE INDEX blocks_hash_1001 ON blocks_1001 (hash);

CREATE INDEX blocks_timestamp_1001 ON blocks_1001 (timestamp);

CREATE TABLE contracts_1001 (address BLOB NOT NULL, kind TEXT NOT NULL, standard TEXT NOT NULL, name TEXT, symbol TEXT, decimals INTEGER, block INTEGER NOT NULL, supply BLOB NOT NULL DEFAULT x'', holders INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (address)) STRICT, WITHOUT ROWID;

CREATE INDEX contracts_kind_1001 ON contracts_1001 (kind, block);

CREATE TABLE gateway (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;

CREATE TABLE holdings_1001 (contract BLOB NOT NULL, owner BLOB NOT NULL, token TEXT NOT NULL, balance BLOB NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (contract, owner, token)) STRICT, WITHOUT ROWID;

CREATE INDEX holdings_owner_1001 ON holdings_1001 (owner, updated);

CREATE INDEX holdings_token_1001 ON holdings_1001 (contract, token, updated);

CREATE TABLE labels_1001 (address BLOB NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER, PRIMARY KEY (address)) STRICT, WITHOUT ROWID;

CREATE TABLE logs_1001 (id INTEGER NOT NULL, tx INTEGER NOT NULL, address BLOB NOT NULL, topic0 BLOB, topic1 BLOB, topic2 BLOB, topic3 BLOB, data BLOB NOT NULL, PRIMARY KEY (id)) STRICT;

CREATE INDEX logs_address_1001 ON logs_1001 (address, id);

CREATE INDEX logs_topic0_1001 ON logs_1001 (topic0, id) WHERE topic0 IS NOT NULL;

CREATE TABLE ownership_undo_1001 (block INTEGER NOT NULL, contract BLOB NOT NULL, owner BLOB, token TEXT NOT NULL, previous TEXT) STRICT;

CREATE INDEX ownership_undo_block_1001 ON ownership_undo_1001 (block);

CREATE TABLE ownings_1001 (contract BLOB NOT NULL, owner BLOB NOT NULL, balance BLOB NOT NULL, tokens INTEGER NOT NULL, updated INTEGER NOT NULL, PRIMARY KEY (contract, owner)) STRICT, WITHOUT ROWID;

CREATE INDEX ownings_owner_1001 ON ownings_1001 (owner, updated);

CREATE TABLE presets_1001 (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, accounts TEXT NOT NULL, contracts TEXT NOT NULL) STRICT;

CREATE TABLE questions_1001 (contract BLOB NOT NULL, owner BLOB NOT NULL, token TEXT NOT NULL, transfer INTEGER NOT NULL, uri INTEGER NOT NULL, PRIMARY KEY (contract, owner, token)) STRICT, WITHOUT ROWID;

CREATE TABLE scopes_1001 (id INTEGER NOT NULL, scope TEXT NOT NULL, PRIMARY KEY (id)) STRICT;

CREATE TABLE tokens_1001 (contract BLOB NOT NULL, token TEXT NOT NULL, owner BLOB, previous_owner BLOB, supply BLOB NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, uri TEXT NOT NULL DEFAULT '', PRIMARY KEY (contract, token)) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_owner_1001 ON tokens_1001 (contract, owner, updated) WHERE owner IS NOT NULL;

CREATE INDEX tokens_updated_1001 ON tokens_1001 (contract, updated);

CREATE TABLE transactions_1001 (id INTEGER NOT NULL, hash BLOB NOT NULL, sender_hash BLOB, type INTEGER NOT NULL, sender BLOB NOT NULL, recipient BLOB, value BLOB NOT NULL, nonce INTEGER NOT NULL, gas INTEGER NOT NULL, gas_price BLOB NOT NULL, gas_used INTEGER NOT NULL, cumulative_gas INTEGER NOT NULL, fee BLOB NOT NULL, fee_payer BLOB, fee_ratio INTEGER, status INTEGER NOT NULL, tx_error INTEGER, contract BLOB, raw BLOB NOT NULL, first_log INTEGER NOT NULL, logs INTEGER NOT NULL, first_transfer INTEGER NOT NULL, transfers INTEGER NOT NULL, PRIMARY KEY (id)) STRICT;

CREATE INDEX transactions_contract_1001 ON transactions_1001 (contract) WHERE contract IS NOT NULL;

CREATE INDEX transactions_fee_payer_1001 ON transactions_1001 (fee_payer, id) WHERE fee_payer IS NOT NULL;

CREATE UNIQUE INDEX transactions_hash_1001 ON transactions_1001 (hash);

CREATE INDEX transactions_sender_hash_1001 ON transactions_1001 (sender_hash) WHERE sender_hash IS NOT NULL;

CREATE TABLE transfers_1001 (id INTEGER NOT NULL, tx INTEGER NOT NULL, class INTEGER NOT NULL, src BLOB NOT NULL, dst BLOB NOT NULL, contract BLOB, operator BLOB, amount BLOB NOT NULL, batch TEXT, PRIMARY KEY (id)) STRICT;

CREATE INDEX transfers_contract_1001 ON transfers_1001 (contract, class, id) WHERE contract IS NOT NULL;

CREATE INDEX transfers_dst_1001 ON transfers_1001 (dst, class, id);

CREATE INDEX transfers_dst_contract_1001 ON transfers_1001 (dst, contract, class, id) WHERE contract IS NOT NULL;

CREATE INDEX transfers_src_1001 ON transfers_1001 (src, class, id);

CREATE INDEX transfers_src_contract_1001 ON transfers_1001 (src, contract, class, id) WHERE contract IS NOT NULL;

CREATE INDEX transfers_token_1001 ON transfers_1001 (contract, amount, id) WHERE class = 2;
