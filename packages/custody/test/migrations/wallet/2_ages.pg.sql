CREATE INDEX "wallet_requests_created_1001" ON "wallet_requests_1001" (created);

CREATE INDEX "wallet_sends_mined_1001" ON "wallet_sends_1001" (account, nonce) WHERE state = 1;
