-- What is over is removed after a while (docs/decisions/0030-retention.md).

-- Plans and compositions are documents of kilobytes. In a table WITHOUT ROWID one of more than a thousand bytes takes a
-- page of its own; beside a rowid several share one. `made_at` is what their age is counted from.
CREATE TABLE plan_with_rowid (
    number   INTEGER PRIMARY KEY,
    plan_id  TEXT    NOT NULL UNIQUE,
    fid      TEXT    NOT NULL,
    made_at  REAL    NOT NULL,
    document TEXT    NOT NULL
);
INSERT INTO plan_with_rowid (plan_id, fid, made_at, document)
SELECT plan_id, fid, COALESCE(json_extract(document, '$.observed_at'), 0.0) AS made_at, document FROM plan
ORDER BY made_at, plan_id;
DROP TABLE plan;
ALTER TABLE plan_with_rowid RENAME TO plan;
CREATE INDEX plan_age ON plan (made_at);
CREATE INDEX plan_of_process ON plan (fid);

CREATE TABLE composition_with_rowid (
    number   INTEGER PRIMARY KEY,
    digest   TEXT    NOT NULL UNIQUE,
    document TEXT    NOT NULL
);
INSERT INTO composition_with_rowid (digest, document) SELECT digest, document FROM composition ORDER BY digest;
DROP TABLE composition;
ALTER TABLE composition_with_rowid RENAME TO composition;
CREATE INDEX process_of_composition ON process (composition_digest);

-- The oldest of each kind are found without reading the others. Events of denied commands are a kind of their own,
-- because whoever has no right can make any number of them.
CREATE INDEX event_denied_age ON event (at, number) WHERE type = 'command.denied';
CREATE INDEX event_age ON event (at, number) WHERE type <> 'command.denied';
CREATE INDEX op_age ON op (at, number);
CREATE INDEX command_age ON command (at, number);
CREATE INDEX job_age ON job (started_at, job_id) WHERE kind <> 'dry-run';
CREATE INDEX job_dry_run_age ON job (started_at, job_id) WHERE kind = 'dry-run';
CREATE INDEX object_ended ON object (moved_at, number) WHERE is_final = 1;
CREATE INDEX process_ended ON process (COALESCE(ended_at, updated_at), fid) WHERE state = 'Gone';

-- What must be looked up before a removal: which job a plan is of, and, for the cascade, which rows an op has.
CREATE INDEX job_of_plan ON job (plan_id) WHERE plan_id IS NOT NULL;
CREATE INDEX op_of_process_by_op ON op_of_process (number);

-- What was removed: written with each removal, so that a crash in between loses no account of it.
CREATE TABLE removed (
    kind       TEXT    NOT NULL PRIMARY KEY,
    rows       INTEGER NOT NULL CHECK (rows >= 0),
    until      REAL    NOT NULL,
    removed_at REAL    NOT NULL
) WITHOUT ROWID;
