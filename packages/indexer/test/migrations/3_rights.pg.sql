ALTER TABLE "s".callers ADD COLUMN rights text NOT NULL DEFAULT 'read', ADD COLUMN pools text, ADD COLUMN limits text
  NOT NULL DEFAULT '{}';
