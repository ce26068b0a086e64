CREATE TABLE "wallet_effects_1001" (
  id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, effect TEXT NOT NULL, subject BLOB NOT NULL, UNIQUE (request, effect, subject)
  );

ALTER TABLE "wallet_requests_1001" ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;

DROP INDEX "wallet_requests_created_1001";

CREATE INDEX "wallet_requests_young_1001" ON "wallet_requests_1001" (created) WHERE kept = 0;


  SELECT id, answer FROM "wallet_requests_1001" WHERE answer LIKE '%"blob":%';
