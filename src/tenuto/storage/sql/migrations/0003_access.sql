-- Who may do what, and what was changed while the Conductor runs.

-- The policy as it was given: one at most.
CREATE TABLE access_policy (
    one    INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    text   TEXT    NOT NULL,
    file   TEXT    NOT NULL,
    set_at REAL    NOT NULL,
    set_by TEXT    NOT NULL
);

-- One secret for each user who has one. `key` is its public part, by which it is found; `digest` is derived from the
-- rest, which nobody keeps.
CREATE TABLE user_secret (
    user       TEXT NOT NULL PRIMARY KEY CHECK (user <> ''),
    key        TEXT NOT NULL UNIQUE CHECK (key <> ''),
    digest     TEXT NOT NULL,
    created_at REAL NOT NULL,
    created_by TEXT NOT NULL
) WITHOUT ROWID;

-- Settings that differ from their default.
CREATE TABLE runtime_setting (
    key    TEXT NOT NULL PRIMARY KEY,
    value  TEXT NOT NULL,
    set_at REAL NOT NULL,
    set_by TEXT NOT NULL
) WITHOUT ROWID;
