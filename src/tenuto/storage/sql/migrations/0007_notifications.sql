-- Who is told of events. The document is small and read as a whole.
CREATE TABLE sink (
    name     TEXT NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
) WITHOUT ROWID;

-- What has not arrived at a sink: an event is here from the moment that it was looked at for the sink until it arrived.
CREATE TABLE delivery (
    sink       TEXT    NOT NULL REFERENCES sink (name) ON DELETE CASCADE,
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
