ALTER TABLE "wallet_sends_1001" ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "wallet_sends_1001" ADD COLUMN payment BIGINT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN price TEXT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN caller TEXT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN raisable INTEGER NOT NULL DEFAULT 1;

ALTER TABLE "wallet_sends_1001" ADD COLUMN refused BIGINT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN refusal TEXT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN refusal_kind TEXT;

ALTER TABLE "wallet_sends_1001" ADD COLUMN leased BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "wallet_sends_1001" ADD COLUMN winner BYTEA;

ALTER TABLE "wallet_sends_1001" ADD COLUMN why TEXT;

DROP INDEX "wallet_sends_nonce_1001";

CREATE UNIQUE INDEX "wallet_sends_attempt_1001" ON "wallet_sends_1001" (account, nonce, attempt)
  WHERE state <= 1 AND cancels = 0;
