CREATE TABLE "wallet_caller_revocations" (name TEXT NOT NULL PRIMARY KEY, revoked BIGINT NOT NULL);
