CREATE TABLE "wallet_roots_1001" (
  generation BIGINT PRIMARY KEY, wrapped BYTEA NOT NULL, link BYTEA, created BIGINT NOT NULL
  );

CREATE TABLE "wallet_sealed_1001" (name TEXT PRIMARY KEY, sealed BYTEA NOT NULL);

CREATE TABLE "wallet_audit_1001" (number BIGINT PRIMARY KEY, line TEXT NOT NULL, hash BYTEA NOT NULL);

CREATE TABLE "wallet_spent_1001" (
  caller TEXT NOT NULL, pool TEXT NOT NULL, day BIGINT NOT NULL, amount TEXT NOT NULL,
  PRIMARY KEY (caller, pool, day)
  );

CREATE TABLE "wallet_frozen_1001" (id INTEGER PRIMARY KEY, since BIGINT NOT NULL, reason TEXT NOT NULL);
