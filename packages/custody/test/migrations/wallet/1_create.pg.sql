CREATE TABLE "wallet_pools_1001" (
  id BIGSERIAL PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, created BIGINT NOT NULL, UNIQUE (type, name)
  );

INSERT INTO "wallet_pools_1001" (type, name, created) VALUES ($1, 'default', 0);

INSERT INTO "wallet_pools_1001" (type, name, created) VALUES ($1, 'default', 0);

INSERT INTO "wallet_pools_1001" (type, name, created) VALUES ($1, 'default', 0);

CREATE TABLE "wallet_keys_1001" (
  id BIGSERIAL PRIMARY KEY, pool BIGINT NOT NULL, hash BYTEA NOT NULL UNIQUE, public_key BYTEA NOT NULL, sealed BYTEA,
  created BIGINT NOT NULL
  );

CREATE INDEX "wallet_keys_pool_1001" ON "wallet_keys_1001" (pool, id);

CREATE INDEX "wallet_keys_public_1001" ON "wallet_keys_1001" (public_key);

CREATE TABLE "wallet_accounts_1001" (
  id BIGSERIAL PRIMARY KEY, pool BIGINT NOT NULL, address BYTEA NOT NULL, key BIGINT NOT NULL, disabled INTEGER NOT NULL,
  created BIGINT NOT NULL, updated BIGINT NOT NULL, deleted BIGINT, threshold INTEGER, keys TEXT
  );

CREATE UNIQUE INDEX "wallet_accounts_address_1001" ON "wallet_accounts_1001" (address) WHERE deleted IS NULL;

CREATE INDEX "wallet_accounts_pool_1001" ON "wallet_accounts_1001" (pool, id);

CREATE INDEX "wallet_accounts_key_1001" ON "wallet_accounts_1001" (key);

CREATE TABLE "wallet_pending_1001" (
  id BIGSERIAL PRIMARY KEY, transaction_id BYTEA NOT NULL UNIQUE, account BYTEA NOT NULL, raw BYTEA NOT NULL,
  payer TEXT NOT NULL, threshold INTEGER NOT NULL, keys TEXT NOT NULL, status INTEGER NOT NULL, hash BYTEA,
  created BIGINT NOT NULL, updated BIGINT NOT NULL
  );

CREATE INDEX "wallet_pending_account_1001" ON "wallet_pending_1001" (account, id);

CREATE TABLE "wallet_sends_1001" (
  id BIGSERIAL PRIMARY KEY, account BYTEA NOT NULL, nonce BIGINT NOT NULL, hash BYTEA NOT NULL, sender_hash BYTEA NOT NULL,
  raw BYTEA NOT NULL, state INTEGER NOT NULL, cancels INTEGER NOT NULL, attempts INTEGER NOT NULL,
  request TEXT, created BIGINT NOT NULL, updated BIGINT NOT NULL
  );

CREATE UNIQUE INDEX "wallet_sends_nonce_1001" ON "wallet_sends_1001" (account, nonce)
  WHERE state <= 1 AND cancels = 0;

CREATE UNIQUE INDEX "wallet_sends_hash_1001" ON "wallet_sends_1001" (hash);

CREATE INDEX "wallet_sends_request_1001" ON "wallet_sends_1001" (request, id) WHERE request IS NOT NULL;

CREATE INDEX "wallet_sends_open_1001" ON "wallet_sends_1001" (account, nonce) WHERE state = 0;

CREATE TABLE "wallet_requests_1001" (
  id TEXT NOT NULL PRIMARY KEY, digest BYTEA NOT NULL, status INTEGER, answer TEXT, created BIGINT NOT NULL
  );

CREATE TABLE "wallet_facts_1001" (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE "wallet_secrets_1001" (
  name TEXT NOT NULL PRIMARY KEY, public_key BYTEA NOT NULL, sealed BYTEA NOT NULL
  );
