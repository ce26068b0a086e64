CREATE TABLE "wallet_callers" (
  name TEXT NOT NULL PRIMARY KEY, access_key_id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, created BIGINT NOT NULL,
  rights TEXT NOT NULL, pools TEXT, limits TEXT NOT NULL
  );

CREATE TABLE wallet_caller_moves (moved BIGINT NOT NULL);
