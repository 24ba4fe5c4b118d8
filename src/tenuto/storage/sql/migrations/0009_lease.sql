-- Which Conductor may write: the one that knows the epoch. There is one row, once anybody took the lease.
CREATE TABLE lease (
    name       TEXT    NOT NULL PRIMARY KEY CHECK (name = 'conductor'),
    holder     TEXT    NOT NULL CHECK (holder <> ''),
    epoch      INTEGER NOT NULL CHECK (epoch >= 1),
    renewed_at REAL    NOT NULL,
    expires_at REAL    NOT NULL
) WITHOUT ROWID;
