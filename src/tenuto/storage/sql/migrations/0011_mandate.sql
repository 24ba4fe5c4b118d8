-- Commands that change what a process is to be are numbered, and an object carries the number of the one for which a plan
-- has set its target, or has agreed with it. Nothing is done for an object whose number is an older one.
ALTER TABLE process ADD COLUMN mandate INTEGER NOT NULL DEFAULT 1 CHECK (mandate >= 1);
ALTER TABLE object ADD COLUMN mandate INTEGER NOT NULL DEFAULT 1 CHECK (mandate >= 1);
