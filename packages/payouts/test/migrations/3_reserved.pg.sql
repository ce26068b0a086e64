ALTER TABLE "klaytn_payout_changes" ADD COLUMN reserved BIGINT GENERATED ALWAYS AS (CASE WHEN event LIKE '%"_tag":"Reserved"%'
  THEN CAST(SUBSTRING(event FROM '"nonce":([0-9]+)') AS BIGINT) END) STORED;

CREATE INDEX "klaytn_payout_changes_by_nonce" ON "klaytn_payout_changes" (reserved) WHERE reserved IS NOT NULL;
