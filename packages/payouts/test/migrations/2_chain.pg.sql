ALTER TABLE "klaytn_payouts" ADD COLUMN chain INTEGER GENERATED ALWAYS AS (CAST(SUBSTRING(content FROM '"chain":([0-9]+),') AS INTEGER)) STORED;

CREATE INDEX "klaytn_payouts_by_chain" ON "klaytn_payouts" (chain, sender);
