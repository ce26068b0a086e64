ALTER TABLE "wallet_sends_1001" ADD COLUMN credential TEXT;

ALTER TABLE "wallet_pending_1001" ADD COLUMN credential TEXT;
