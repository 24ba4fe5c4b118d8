-- name: account
-- One account by its name.
SELECT * FROM account WHERE name = :name;

-- name: accounts
-- All accounts that are stored.
SELECT * FROM account ORDER BY name;

-- name: holder_of_account_id
-- The account that has an id.
SELECT name FROM account WHERE account_id = :account_id;

-- name: residents_of_account
-- The live processes of an account.
SELECT COALESCE(alias, fid) AS name FROM process WHERE account = :name AND state <> 'Gone' ORDER BY created_at, fid;

-- name: save_account
-- An account as it is now.
INSERT INTO account (name, profile, role_arn, source, external_id, region, account_id, created_at, generation)
VALUES (:name, :profile, :role_arn, :source, :external_id, :region, :account_id, :created_at, :generation)
ON CONFLICT (name) DO UPDATE SET
    profile = excluded.profile, role_arn = excluded.role_arn, source = excluded.source,
    external_id = excluded.external_id, region = excluded.region, account_id = excluded.account_id,
    created_at = excluded.created_at, generation = excluded.generation;

-- name: remove_account
-- An account that nobody needs any more.
DELETE FROM account WHERE name = :name;
