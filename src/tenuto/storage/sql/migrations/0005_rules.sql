-- What every composition is held to.

-- A rule, once by name; `document` says what it asks.
CREATE TABLE rule (
    name     TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    document TEXT NOT NULL,
    added_at REAL NOT NULL,
    added_by TEXT NOT NULL
) WITHOUT ROWID;
