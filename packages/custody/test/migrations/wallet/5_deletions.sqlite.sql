ALTER TABLE "wallet_keys_1001" ADD COLUMN deleted BIGINT;

UPDATE "wallet_keys_1001" SET deleted = 0 WHERE sealed IS NULL;

CREATE INDEX "wallet_keys_deleted_1001" ON "wallet_keys_1001" (deleted) WHERE deleted IS NOT NULL AND sealed IS NOT NULL;

CREATE INDEX "wallet_accounts_shared_1001" ON "wallet_accounts_1001" (id) WHERE keys IS NOT NULL;
