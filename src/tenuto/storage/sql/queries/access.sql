-- name: policy
-- The policy that holds.
SELECT * FROM access_policy;

-- name: remove_policy
-- No policy any more.
DELETE FROM access_policy;

-- name: insert_policy
-- The policy that holds from now on.
INSERT INTO access_policy (text, file, set_at, set_by) VALUES (:text, :file, :set_at, :set_by);

-- name: user_secrets
-- What is known of all secrets.
SELECT * FROM user_secret ORDER BY user;

-- name: user_secret_of_key
-- What is known of the secret with a key.
SELECT * FROM user_secret WHERE key = :key;

-- name: save_user_secret
-- The one secret of a user.
INSERT INTO user_secret (user, key, digest, created_at, created_by)
VALUES (:user, :key, :digest, :created_at, :created_by)
ON CONFLICT (user) DO UPDATE SET
    key = excluded.key, digest = excluded.digest, created_at = excluded.created_at, created_by = excluded.created_by;

-- name: remove_user_secret
-- A user without a secret cannot act.
DELETE FROM user_secret WHERE user = :user;

-- name: runtime_settings
-- Everything that was changed while the Conductor ran.
SELECT * FROM runtime_setting ORDER BY key;

-- name: save_runtime_setting
-- A setting in place of its default.
INSERT INTO runtime_setting (key, value, set_at, set_by) VALUES (:key, :value, :set_at, :set_by)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, set_at = excluded.set_at, set_by = excluded.set_by;

-- name: remove_runtime_setting
-- The default again.
DELETE FROM runtime_setting WHERE key = :key;
