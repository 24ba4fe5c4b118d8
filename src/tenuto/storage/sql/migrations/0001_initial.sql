-- The schema. Instants are REAL seconds since 1970 UTC; documents are canonical JSON text; Boolean columns are
-- 0 or 1. Whatever can be said by a CHECK or a unique index is said here, so that a state that must not be cannot be
-- stored, whoever writes.

-- A running instance of a composition. `is_locked` and `is_enforced` are its properties, and `enforcement_until`
-- is when the latter comes back by itself; `job_id` is the job that executes now; `last_job` is the document of the last
-- one, also of those too dull to be kept as a row. `releasing` says how a process that is being released lets go of its
-- resources. Commands that change what a process is to be are numbered: `mandate` is the number of the last one, and
-- `commanded_by` says who gave it, and `request` by which API request. `causes` are the codes of the failures that
-- suspended it, as a JSON list.
CREATE TABLE process (
    fid                TEXT    NOT NULL PRIMARY KEY,
    alias              TEXT    CHECK (alias <> ''),
    name               TEXT    NOT NULL,
    account            TEXT    NOT NULL,
    region             TEXT    NOT NULL,
    provider           TEXT    NOT NULL,
    state              TEXT    NOT NULL CHECK (state IN ('Running', 'Suspended', 'Killing', 'Gone')),
    generation         INTEGER NOT NULL CHECK (generation >= 1),
    mandate            INTEGER NOT NULL CHECK (mandate >= 1),
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
    ended_at           REAL,
    releasing          TEXT    CHECK (releasing IN ('untag', 'keep-tags')),
    commanded_by       TEXT    NOT NULL,
    request            TEXT    NOT NULL,
    causes             TEXT    NOT NULL
) WITHOUT ROWID;

-- An alias is free again once its process is gone.
CREATE UNIQUE INDEX process_live_alias ON process (alias) WHERE state <> 'Gone' AND alias IS NOT NULL;
CREATE INDEX process_alias ON process (alias) WHERE alias IS NOT NULL;
CREATE INDEX process_of_account ON process (account) WHERE state <> 'Gone';
CREATE INDEX process_of_composition ON process (composition_digest);
CREATE INDEX process_ended ON process (COALESCE(ended_at, updated_at), fid) WHERE state = 'Gone';

-- The documents of a process are large and change only by command: apart, so that a job does not write them again.
-- `adopting` are the real things that a command gave to resources, by logical id: the next plan adopts them, and the job
-- that finds nothing left to do empties it.
CREATE TABLE process_document (
    fid      TEXT NOT NULL PRIMARY KEY REFERENCES process (fid) ON DELETE CASCADE,
    lookups  TEXT NOT NULL,
    sealed   TEXT NOT NULL,
    adopting TEXT NOT NULL
) WITHOUT ROWID;

-- Compiled compositions, once by digest. They and plans are documents of kilobytes: in a table WITHOUT ROWID one of more
-- than a thousand bytes takes a page of its own, and beside a rowid several share one.
CREATE TABLE composition (
    number   INTEGER PRIMARY KEY,
    digest   TEXT    NOT NULL UNIQUE,
    document TEXT    NOT NULL
);

-- One incarnation of a resource, or any other object: the narrow row, the only one that every transition writes.
-- Objects made together lie together, because `number` grows. `is_final` is what the lifecycle says of `state`.
-- `mandate` is the number of the command for which a plan has set the target of the object, or has agreed with it.
-- Nothing is done for an object whose number is an older one than that of its process.
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
    mandate         INTEGER NOT NULL CHECK (mandate >= 1),
    message         TEXT    NOT NULL,
    created_at      REAL    NOT NULL,
    moved_at        REAL    NOT NULL,
    touched_at      REAL    NOT NULL,
    physical_id     TEXT,
    desired_digest  TEXT    NOT NULL,
    deletion_policy TEXT    NOT NULL CHECK (deletion_policy IN
        ('Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot')),
    plan_id         TEXT,
    request         TEXT    NOT NULL
);

-- One object for each incarnation of an address; also the way to all objects of a process.
CREATE UNIQUE INDEX object_address ON object (fid, logical_id, incarnation) WHERE fid IS NOT NULL;
-- What a sweep of a type has to recognise.
CREATE INDEX object_tracked ON object (type, account, region) WHERE physical_id IS NOT NULL AND is_final = 0;
-- What a person looks for by an id or a name.
CREATE INDEX object_physical_id ON object (physical_id) WHERE physical_id IS NOT NULL;
CREATE INDEX object_logical_id ON object (logical_id);
CREATE INDEX object_ended ON object (moved_at, number) WHERE is_final = 1;
-- Objects without a process, by id and by name. Resources of processes cost nothing here.
CREATE INDEX object_requested ON object (object_id) WHERE fid IS NULL;
CREATE INDEX object_requested_name ON object (logical_id, object_id) WHERE fid IS NULL;

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
    -- Done again and again while the object rests in the state; rounds that failed in a row.
    is_upkeep        INTEGER NOT NULL CHECK (is_upkeep IN (0, 1)),
    failures         INTEGER NOT NULL CHECK (failures >= 0),
    data             TEXT    NOT NULL,
    -- What is known of the outside act of the phase; nothing while there was none.
    act              TEXT    CHECK (act IS NULL OR (
        json_extract(act, '$.state') IN ('unsent', 'sent', 'answered', 'in-doubt', 'found', 'absent')
        AND (json_extract(act, '$.state') NOT IN ('sent', 'answered') OR json_extract(act, '$.sent_at') IS NOT NULL)
    )),
    PRIMARY KEY (number, phase)
) WITHOUT ROWID;

-- The few entries with something to do, out of the many that are done.
-- Every object at rest may have upkeep, so what is due of it is found without reading what is not.
CREATE INDEX phase_entry_due ON phase_entry (
    is_upkeep, phase, (CASE status WHEN 'Waiting' THEN 0 ELSE COALESCE(wake_at, 0) END)
) WHERE status IN ('Waiting', 'Sleeping');
CREATE INDEX phase_entry_unfinished ON phase_entry (status) WHERE status IN ('Running', 'Canceling');

-- Jobs worth a place in the history; `actor` gave the command that it serves, or is `conductor`. A process that does not
-- exist yet may have a dry run, and history outlives the process: so no table of the history refers to `process`.
--
-- What is over is removed after a while (docs/decisions/0030-retention.md): the indexes whose names end in `age` and
-- `ended` find the oldest rows of each kind without reading the others.
CREATE TABLE job (
    job_id       TEXT NOT NULL PRIMARY KEY,
    fid          TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('routine', 'command', 'dry-run')),
    command      TEXT NOT NULL,
    actor        TEXT NOT NULL,
    request      TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCEEDED', 'HALTED', 'FAILED', 'SUPERSEDED')),
    plan_id      TEXT,
    plan_summary TEXT NOT NULL,
    message      TEXT NOT NULL,
    is_throttled INTEGER NOT NULL CHECK (is_throttled IN (0, 1)),
    started_at   REAL NOT NULL,
    finished_at  REAL,
    CHECK ((status = 'RUNNING') = (finished_at IS NULL))
) WITHOUT ROWID;

-- Never two jobs at once for one process; a dry run changes nothing and may run beside.
CREATE UNIQUE INDEX job_running ON job (fid) WHERE status = 'RUNNING' AND kind <> 'dry-run';
CREATE INDEX job_history ON job (fid, started_at);
CREATE INDEX job_of_request ON job (request) WHERE request <> '';
CREATE INDEX job_of_plan ON job (plan_id) WHERE plan_id IS NOT NULL;
CREATE INDEX job_age ON job (started_at, job_id) WHERE kind <> 'dry-run';
CREATE INDEX job_dry_run_age ON job (started_at, job_id) WHERE kind = 'dry-run';

-- Plans, written before anything of them happens, and never again. `made_at` is what their age is counted from.
CREATE TABLE plan (
    number   INTEGER PRIMARY KEY,
    plan_id  TEXT    NOT NULL UNIQUE,
    fid      TEXT    NOT NULL,
    made_at  REAL    NOT NULL,
    document TEXT    NOT NULL
);
CREATE INDEX plan_age ON plan (made_at);
CREATE INDEX plan_of_process ON plan (fid);

-- Commands as they were given.
CREATE TABLE command (
    number  INTEGER PRIMARY KEY,
    fid     TEXT NOT NULL,
    command TEXT NOT NULL,
    at      REAL NOT NULL,
    actor   TEXT NOT NULL,
    request TEXT NOT NULL,
    detail  TEXT NOT NULL
);
CREATE INDEX command_of_request ON command (request) WHERE request <> '';
CREATE INDEX command_history ON command (fid, at);
CREATE INDEX command_age ON command (at, number);

-- Facts, appended. AUTOINCREMENT: a number is never given twice, also when old events are removed. `request` is the API
-- request that caused the fact; empty for what the Conductor does by itself.
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
    request   TEXT NOT NULL,
    reason    TEXT NOT NULL,
    data      TEXT NOT NULL
);
CREATE INDEX event_of_process ON event (fid, number) WHERE fid IS NOT NULL;
CREATE INDEX event_of_object ON event (object_id, number) WHERE object_id IS NOT NULL;
CREATE INDEX event_of_request ON event (request, number) WHERE request <> '';
-- Events of denied commands are a kind of their own: callers without any right can cause any number of them.
CREATE INDEX event_denied_age ON event (at, number) WHERE type = 'command.denied';
CREATE INDEX event_age ON event (at, number) WHERE type <> 'command.denied';
CREATE INDEX event_of_drift ON event (at, number) WHERE type IN ('drift.found', 'resource.held');

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
CREATE INDEX op_age ON op (at, number);
CREATE INDEX op_request ON op (request_id) WHERE request_id <> '';

-- Whose op it was: one bulk call can serve several processes.
CREATE TABLE op_of_process (
    fid    TEXT    NOT NULL,
    number INTEGER NOT NULL REFERENCES op (number) ON DELETE CASCADE,
    PRIMARY KEY (fid, number)
) WITHOUT ROWID;
-- For the cascade: which rows an op has.
CREATE INDEX op_of_process_by_op ON op_of_process (number);

-- What was removed: written with each removal, so that a crash in between loses no account of it.
CREATE TABLE removed (
    kind       TEXT    NOT NULL PRIMARY KEY,
    rows       INTEGER NOT NULL CHECK (rows >= 0),
    until      REAL    NOT NULL,
    removed_at REAL    NOT NULL
) WITHOUT ROWID;

-- What is remembered of properties that somebody else sets back. A row is as large after years as after a day.
CREATE TABLE flip (
    fid        TEXT NOT NULL REFERENCES process (fid) ON DELETE CASCADE,
    logical_id TEXT NOT NULL,
    path       TEXT NOT NULL,
    document   TEXT NOT NULL,
    PRIMARY KEY (fid, logical_id, path)
) WITHOUT ROWID;

-- The drifts that were told and still stand: one for each address. A row goes when its address is as declared again.
CREATE TABLE drift (
    fid        TEXT NOT NULL REFERENCES process (fid) ON DELETE CASCADE,
    logical_id TEXT NOT NULL,
    document   TEXT NOT NULL,
    PRIMARY KEY (fid, logical_id)
) WITHOUT ROWID;

-- The rate ledger: what is left in the bucket of each API, at least, at a moment. After a crash as many calls are made
-- as there are tokens in it, and no more.
CREATE TABLE rate (
    account TEXT NOT NULL,
    region  TEXT NOT NULL,
    name    TEXT NOT NULL,
    level   REAL NOT NULL,
    at      REAL NOT NULL,
    pace    REAL NOT NULL CHECK (pace > 0 AND pace <= 1),
    PRIMARY KEY (account, region, name)
) WITHOUT ROWID;

-- Which Conductor may write: the one that knows the epoch. There is one row, once anybody took the lease.
CREATE TABLE lease (
    name       TEXT    NOT NULL PRIMARY KEY CHECK (name = 'conductor'),
    holder     TEXT    NOT NULL CHECK (holder <> ''),
    epoch      INTEGER NOT NULL CHECK (epoch >= 1),
    renewed_at REAL    NOT NULL,
    expires_at REAL    NOT NULL
) WITHOUT ROWID;

-- Objects that requests make, and what they hold (docs/decisions/0042-objects-by-request.md).

-- A key that one object has within a space, such as a name in its namespace. While its object has it, `free_at` is NULL;
-- afterwards it is reserved until then. No reference to `object`: a reservation may outlive the row.
CREATE TABLE claim (
    space     TEXT NOT NULL CHECK (space <> ''),
    key       TEXT NOT NULL,
    object_id TEXT NOT NULL,
    halo_s    REAL NOT NULL CHECK (halo_s >= 0),
    free_at   REAL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;
CREATE INDEX claim_of_object ON claim (object_id);
CREATE INDEX claim_free ON claim (free_at) WHERE free_at IS NOT NULL;

-- One object needs another one. Unique as a whole; gone with the end of `from_id`.
CREATE TABLE relation (
    from_id TEXT NOT NULL,
    role    TEXT NOT NULL CHECK (role <> ''),
    to_id   TEXT NOT NULL,
    PRIMARY KEY (from_id, role, to_id)
) WITHOUT ROWID;
CREATE INDEX relation_to ON relation (to_id);

-- The administration: the policy, secrets of users, settings, rules, accounts, sinks. Each kind has a few small records
-- that are read as a whole; `ports/record_kinds.py` lists the kinds. `claim` is a second name that one record of a kind
-- can have at a time: the public part of a secret, the id of an account.
CREATE TABLE record (
    kind       TEXT    NOT NULL CHECK (kind <> ''),
    key        TEXT    NOT NULL CHECK (key <> ''),
    claim      TEXT    CHECK (claim <> ''),
    document   TEXT    NOT NULL CHECK (json_valid(document)),
    generation INTEGER NOT NULL CHECK (generation >= 1),
    PRIMARY KEY (kind, key)
);
CREATE UNIQUE INDEX record_claim ON record (kind, claim) WHERE claim IS NOT NULL;

-- What has not arrived at a sink: an event is here from the moment that it was looked at for the sink until it arrived.
CREATE TABLE delivery (
    sink       TEXT    NOT NULL,
    number     INTEGER NOT NULL,
    event_id   TEXT    NOT NULL,
    document   TEXT    NOT NULL,
    tries      INTEGER NOT NULL CHECK (tries >= 0),
    next_at    REAL    NOT NULL,
    last_error TEXT    NOT NULL,
    died_at    REAL,
    PRIMARY KEY (sink, number)
);

CREATE INDEX delivery_waiting ON delivery (sink, next_at, number) WHERE died_at IS NULL;
