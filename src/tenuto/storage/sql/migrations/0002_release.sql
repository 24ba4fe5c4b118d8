-- How a process that is being released lets go of its resources; NULL for one that is not.
ALTER TABLE process ADD COLUMN releasing TEXT CHECK (releasing IN ('untag', 'keep-tags'));
