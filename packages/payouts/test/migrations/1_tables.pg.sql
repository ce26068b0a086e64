CREATE TABLE "klaytn_values" (id VARCHAR(255) PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE "klaytn_payouts" (
  id VARCHAR(255) PRIMARY KEY,
  sender VARCHAR(42) NOT NULL,
  content TEXT NOT NULL,
  state TEXT NOT NULL,
  tag VARCHAR(32) NOT NULL,
  version INTEGER NOT NULL,
  run INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  since BIGINT NOT NULL,
  -- When a process last worked on it, and when the sweep last started it.
  worked_at BIGINT NOT NULL,
  swept_at BIGINT NOT NULL,
  -- The nonce that it offers to the next payment of its account.
  offers BIGINT,
  trace TEXT
  );

CREATE INDEX "klaytn_payouts_by_tag" ON "klaytn_payouts" (tag, updated_at);

CREATE INDEX "klaytn_payouts_by_offer" ON "klaytn_payouts" (sender, offers);

CREATE INDEX "klaytn_payouts_by_age" ON "klaytn_payouts" (created_at, id);

CREATE TABLE "klaytn_payout_changes" (
  seq BIGSERIAL PRIMARY KEY,
  payout VARCHAR(255) NOT NULL,
  version INTEGER NOT NULL,
  at BIGINT NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL,
  UNIQUE (payout, version)
  );

CREATE TABLE "klaytn_spends" (
  id VARCHAR(255) PRIMARY KEY,
  at BIGINT NOT NULL,
  is_final SMALLINT NOT NULL,
  -- How often it was counted and not released.
  holders INTEGER NOT NULL,
  value_high BIGINT NOT NULL,
  value_low BIGINT NOT NULL,
  fee_high BIGINT NOT NULL,
  fee_low BIGINT NOT NULL
  );

CREATE INDEX "klaytn_spends_by_time" ON "klaytn_spends" (at);

INSERT INTO "klaytn_values" (id, value) VALUES ('spends', 'x') ON CONFLICT DO NOTHING;
