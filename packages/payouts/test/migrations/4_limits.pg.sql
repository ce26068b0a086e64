ALTER TABLE "klaytn_payouts" ADD COLUMN limits VARCHAR(64);
