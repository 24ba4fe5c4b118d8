-- Since when a process is Suspended by a command, and since when it is not enforced: other commands do not move these.
ALTER TABLE process ADD COLUMN suspended_at REAL;
ALTER TABLE process ADD COLUMN unenforced_at REAL;
UPDATE process SET suspended_at = updated_at WHERE state = 'Suspended';
UPDATE process SET unenforced_at = updated_at WHERE is_enforced = 0;
