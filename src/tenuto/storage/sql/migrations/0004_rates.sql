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
