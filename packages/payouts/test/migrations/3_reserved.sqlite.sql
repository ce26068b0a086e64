ALTER TABLE "klaytn_payout_changes" ADD COLUMN reserved BIGINT GENERATED ALWAYS AS (CASE json_extract(event, '$._tag') WHEN 'Reserved' THEN json_extract(event, '$.nonce') END) VIRTUAL;

CREATE INDEX "klaytn_payout_changes_by_nonce" ON "klaytn_payout_changes" (reserved) WHERE reserved IS NOT NULL;
