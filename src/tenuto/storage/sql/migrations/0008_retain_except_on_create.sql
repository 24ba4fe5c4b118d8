-- A resource that is kept once it was ready, and deleted when it leaves before that.
ALTER TABLE object ADD COLUMN policy TEXT NOT NULL DEFAULT 'Delete'
    CHECK (policy IN ('Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot'));
UPDATE object SET policy = deletion_policy;
ALTER TABLE object DROP COLUMN deletion_policy;
ALTER TABLE object RENAME COLUMN policy TO deletion_policy;
