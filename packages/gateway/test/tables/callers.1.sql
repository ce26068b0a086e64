PRAGMA application_id = 1801940067;

PRAGMA user_version = 1;

CREATE TABLE callers (name TEXT NOT NULL, access_key_id TEXT NOT NULL, hash TEXT NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (name), UNIQUE (access_key_id)) STRICT;
