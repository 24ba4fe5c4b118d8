-- What is remembered of properties that somebody else sets back. A row is as large after years as after a day.
CREATE TABLE flip (
    fid        TEXT NOT NULL REFERENCES process (fid) ON DELETE CASCADE,
    logical_id TEXT NOT NULL,
    path       TEXT NOT NULL,
    document   TEXT NOT NULL,
    PRIMARY KEY (fid, logical_id, path)
) WITHOUT ROWID;
