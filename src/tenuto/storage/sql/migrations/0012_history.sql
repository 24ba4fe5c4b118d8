-- History names who asked, a process remembers why it was suspended, and each drift is told once.

-- Who gave the command that a job serves, or `conductor`. Empty for jobs of before: their commands tell.
ALTER TABLE job ADD COLUMN actor TEXT NOT NULL DEFAULT '';

-- Who gave the last command that the mandate counts, and, of a Suspended process, the codes of the failures that
-- suspended it, as a JSON list.
ALTER TABLE process ADD COLUMN commanded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE process ADD COLUMN causes TEXT NOT NULL DEFAULT '[]';
UPDATE process SET causes = (
    SELECT json_group_array(code) FROM (
        SELECT DISTINCT entry.code AS code
        FROM phase_entry AS entry JOIN object AS item USING (number)
        WHERE item.fid = process.fid AND entry.status = 'Failed' AND entry.code <> ''
        ORDER BY entry.code
    )
) WHERE state = 'Suspended' AND json_extract(last_job, '$.status') = 'HALTED';

-- The drifts that were told and still stand: one for each address. A row goes when its address is as declared again.
CREATE TABLE drift (
    fid        TEXT NOT NULL REFERENCES process (fid) ON DELETE CASCADE,
    logical_id TEXT NOT NULL,
    document   TEXT NOT NULL,
    PRIMARY KEY (fid, logical_id)
) WITHOUT ROWID;
