-- The first schema. Instants are REAL seconds since 1970 UTC; documents are canonical JSON text; Boolean columns are
-- 0 or 1. Whatever can be said by a CHECK or a unique index is said here, so that a state that must not be cannot be
-- stored, whoever writes.

-- A running instance of a composition. `is_locked` and `is_enforced` are its properties, and `enforcement_until`
-- is when the latter comes back by itself; `job_id` is the job that executes now; `last_job` is the document of the last
-- one, also of those too dull to be kept as a row.
CREATE TABLE process (
    fid                TEXT    NOT NULL PRIMARY KEY,
    alias              TEXT    CHECK (alias <> ''),
    name               TEXT    NOT NULL,
    account            TEXT    NOT NULL,
    region             TEXT    NOT NULL,
    provider           TEXT    NOT NULL,
    state              TEXT    NOT NULL CHECK (state IN ('Running', 'Suspended', 'Killing', 'Gone')),
    generation         INTEGER NOT NULL CHECK (generation >= 1),
    is_locked          INTEGER NOT NULL CHECK (is_locked IN (0, 1)),
    is_enforced        INTEGER NOT NULL CHECK (is_enforced IN (0, 1)),
    enforcement_until  REAL,
    composition_digest TEXT    NOT NULL,
    composition_name   TEXT    NOT NULL,
    created_at         REAL    NOT NULL,
    updated_at         REAL    NOT NULL,
    intent             TEXT    NOT NULL CHECK (intent IN ('waiting', 'served', 'done')),
    command            TEXT    NOT NULL,
    given_at           REAL    NOT NULL,
    next_job_at        REAL    NOT NULL,
    job_id             TEXT,
    last_job           TEXT,
    last_message       TEXT    NOT NULL,
    converged_at       REAL,
    unconverged_at     REAL,
    ended_at           REAL
) WITHOUT ROWID;

-- An alias is free again once its process is gone.
CREATE UNIQUE INDEX process_live_alias ON process (alias) WHERE state <> 'Gone' AND alias IS NOT NULL;
CREATE INDEX process_alias ON process (alias) WHERE alias IS NOT NULL;

-- What of a process is large and changes only by command: apart, so that a job does not write it again.
CREATE TABLE process_document (
    fid     TEXT NOT NULL PRIMARY KEY REFERENCES process (fid) ON DELETE CASCADE,
    lookups TEXT NOT NULL,
    sealed  TEXT NOT NULL
) WITHOUT ROWID;

-- Compiled compositions, once by digest.
CREATE TABLE composition (
    digest   TEXT NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
) WITHOUT ROWID;

-- One incarnation of a resource, or any other object: the narrow row, the only one that every transition writes.
-- Objects made together lie together, because `number` grows. `is_final` is what the lifecycle says of `state`.
CREATE TABLE object (
    number          INTEGER PRIMARY KEY,
    object_id       TEXT    NOT NULL UNIQUE,
    lifecycle       TEXT    NOT NULL,
    type            TEXT    NOT NULL,
    provider        TEXT,
    account         TEXT    NOT NULL,
    region          TEXT    NOT NULL,
    fid             TEXT    REFERENCES process (fid),
    logical_id      TEXT    NOT NULL,
    incarnation     INTEGER NOT NULL CHECK (incarnation >= 1),
    state           TEXT    NOT NULL,
    target          TEXT    NOT NULL,
    is_final        INTEGER NOT NULL CHECK (is_final IN (0, 1)),
    generation      INTEGER NOT NULL CHECK (generation >= 1),
    message         TEXT    NOT NULL,
    created_at      REAL    NOT NULL,
    moved_at        REAL    NOT NULL,
    touched_at      REAL    NOT NULL,
    physical_id     TEXT,
    desired_digest  TEXT    NOT NULL,
    deletion_policy TEXT    NOT NULL CHECK (deletion_policy IN ('Delete', 'Retain', 'Snapshot')),
    plan_id         TEXT
);

-- One object for each incarnation of an address; also the way to all objects of a process.
CREATE UNIQUE INDEX object_address ON object (fid, logical_id, incarnation) WHERE fid IS NOT NULL;
-- What a sweep of a type has to recognise.
CREATE INDEX object_tracked ON object (type, account, region) WHERE physical_id IS NOT NULL AND is_final = 0;

-- The documents of an object, written only when a plan or a plugin changed them.
CREATE TABLE object_document (
    number     INTEGER PRIMARY KEY REFERENCES object (number) ON DELETE CASCADE,
    desired    TEXT NOT NULL,
    attributes TEXT NOT NULL,
    depends_on TEXT NOT NULL,
    kept       TEXT NOT NULL
);

-- One object in one phase.
CREATE TABLE phase_entry (
    number           INTEGER NOT NULL REFERENCES object (number) ON DELETE CASCADE,
    phase            TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    status           TEXT    NOT NULL CHECK (status IN
        ('Waiting', 'Running', 'Sleeping', 'Blocked', 'Completed', 'Failed', 'Canceling', 'Canceled')),
    message          TEXT    NOT NULL,
    code             TEXT    NOT NULL,
    request_id       TEXT    NOT NULL,
    first_started_at REAL,
    started_at       REAL,
    ended_at         REAL,
    wake_at          REAL,
    attempt          INTEGER NOT NULL CHECK (attempt >= 1),
    runs             INTEGER NOT NULL CHECK (runs >= 0),
    data             TEXT    NOT NULL,
    -- What is known of the outside act of the phase; nothing while there was none.
    act              TEXT    CHECK (act IS NULL OR (
        json_extract(act, '$.state') IN ('unsent', 'sent', 'answered', 'in-doubt', 'found', 'absent')
        AND (json_extract(act, '$.state') NOT IN ('sent', 'answered') OR json_extract(act, '$.sent_at') IS NOT NULL)
    )),
    PRIMARY KEY (number, phase)
) WITHOUT ROWID;

-- The few entries with something to do, out of the many that are done.
CREATE INDEX phase_entry_due ON phase_entry (phase, status, wake_at) WHERE status IN ('Waiting', 'Sleeping');
CREATE INDEX phase_entry_unfinished ON phase_entry (status) WHERE status IN ('Running', 'Canceling');

-- Jobs worth a place in the history. A process that does not exist yet may have a dry run, and history outlives the
-- process: so none of the tables from here on refers to `process`.
CREATE TABLE job (
    job_id       TEXT NOT NULL PRIMARY KEY,
    fid          TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('routine', 'command', 'dry-run')),
    command      TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCEEDED', 'HALTED', 'FAILED', 'SUPERSEDED')),
    plan_id      TEXT,
    plan_summary TEXT NOT NULL,
    message      TEXT NOT NULL,
    started_at   REAL NOT NULL,
    finished_at  REAL,
    CHECK ((status = 'RUNNING') = (finished_at IS NULL))
) WITHOUT ROWID;

-- Never two jobs at once for one process; a dry run changes nothing and may run beside.
CREATE UNIQUE INDEX job_running ON job (fid) WHERE status = 'RUNNING' AND kind <> 'dry-run';
CREATE INDEX job_history ON job (fid, started_at);

-- Plans, written before anything of them happens, and never again.
CREATE TABLE plan (
    plan_id  TEXT NOT NULL PRIMARY KEY,
    fid      TEXT NOT NULL,
    document TEXT NOT NULL
) WITHOUT ROWID;

-- Commands as they were given.
CREATE TABLE command (
    number  INTEGER PRIMARY KEY,
    fid     TEXT NOT NULL,
    command TEXT NOT NULL,
    at      REAL NOT NULL,
    actor   TEXT NOT NULL,
    detail  TEXT NOT NULL
);
CREATE INDEX command_history ON command (fid, at);

-- Facts, appended. AUTOINCREMENT: a number is never given twice, also when old events are removed.
CREATE TABLE event (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        REAL NOT NULL,
    type      TEXT NOT NULL,
    fid       TEXT,
    object_id TEXT,
    subject   TEXT NOT NULL,
    before    TEXT NOT NULL,
    after     TEXT NOT NULL,
    actor     TEXT NOT NULL,
    reason    TEXT NOT NULL,
    data      TEXT NOT NULL
);
CREATE INDEX event_of_process ON event (fid, number) WHERE fid IS NOT NULL;

-- Provider calls that changed something, or tried to.
CREATE TABLE op (
    number     INTEGER PRIMARY KEY,
    at         REAL NOT NULL,
    account    TEXT NOT NULL,
    region     TEXT NOT NULL,
    service    TEXT NOT NULL,
    operation  TEXT NOT NULL,
    object_ids TEXT NOT NULL,
    request_id TEXT NOT NULL,
    duration_s REAL NOT NULL,
    code       TEXT NOT NULL,
    message    TEXT NOT NULL
);

-- Whose op it was: one bulk call can serve several processes.
CREATE TABLE op_of_process (
    fid    TEXT    NOT NULL,
    number INTEGER NOT NULL REFERENCES op (number) ON DELETE CASCADE,
    PRIMARY KEY (fid, number)
) WITHOUT ROWID;
