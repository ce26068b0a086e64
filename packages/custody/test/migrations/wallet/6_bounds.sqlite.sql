CREATE INDEX "wallet_sends_caller_1001" ON "wallet_sends_1001" (caller, account)
  WHERE state = 0 AND cancels = 0 AND payment IS NULL;

ALTER TABLE "wallet_pending_1001" ADD COLUMN caller TEXT;

ALTER TABLE "wallet_pending_1001" ADD COLUMN nonce BIGINT;

CREATE INDEX "wallet_pending_waiting_1001" ON "wallet_pending_1001" (account, nonce) WHERE status = 2;

CREATE INDEX "wallet_pending_caller_1001" ON "wallet_pending_1001" (caller, account) WHERE status = 2;

CREATE INDEX "wallet_pending_keys_1001" ON "wallet_pending_1001" (keys) WHERE status = 2;
