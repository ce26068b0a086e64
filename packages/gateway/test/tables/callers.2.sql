PRAGMA application_id = 1801940067;

PRAGMA user_version = 2;

CREATE TABLE callers (name TEXT NOT NULL, access_key_id TEXT NOT NULL, hash TEXT NOT NULL, created INTEGER NOT NULL, rights TEXT NOT NULL DEFAULT 'read', pools TEXT, limits TEXT NOT NULL DEFAULT '{}', PRIMARY KEY (name), UNIQUE (access_key_id)) STRICT;
