CREATE TABLE p_export_extra (id TEXT PRIMARY KEY, "window" BIGINT NOT NULL,
  since BIGINT NOT NULL);
