
  CREATE TABLE IF NOT EXISTS "klaytn_commits" (
  execution_id VARCHAR(255) NOT NULL,
  activity VARCHAR(255) NOT NULL,
  result TEXT,
  PRIMARY KEY (execution_id, activity)
  );


  CREATE TABLE IF NOT EXISTS "klaytn_processes" (one INTEGER PRIMARY KEY, started BIGINT NOT NULL);
