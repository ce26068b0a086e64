ALTER TABLE "klaytn_payouts" ADD COLUMN chain INTEGER GENERATED ALWAYS AS (json_extract(content, '$.chain')) VIRTUAL;

CREATE INDEX "klaytn_payouts_by_chain" ON "klaytn_payouts" (chain, sender);
