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

-- Objects without a process, by id and by name, and their events. Resources of processes cost nothing here.
CREATE INDEX object_requested ON object (object_id) WHERE fid IS NULL;
CREATE INDEX object_requested_name ON object (logical_id, object_id) WHERE fid IS NULL;
CREATE INDEX event_of_object ON event (object_id, number) WHERE fid IS NULL AND object_id IS NOT NULL;
