-- Named accounts: how the Conductor gets into each, and which one it was found to be. The default account has a row only
-- once its id is known, and was never made. `external_id` is sealed.
CREATE TABLE account (
    name        TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    profile     TEXT,
    role_arn    TEXT,
    source      TEXT,
    external_id TEXT,
    region      TEXT,
    account_id  TEXT    UNIQUE CHECK (account_id <> ''),
    created_at  REAL,
    generation  INTEGER NOT NULL CHECK (generation >= 1),
    CHECK (profile IS NULL OR role_arn IS NULL),
    CHECK ((role_arn IS NULL) = (source IS NULL)),
    CHECK (role_arn IS NOT NULL OR external_id IS NULL)
) WITHOUT ROWID;
CREATE INDEX process_of_account ON process (account) WHERE state <> 'Gone';
