-- name: save_rate
-- The last word about the bucket of one API.
INSERT INTO rate (account, region, name, level, at, pace) VALUES (:account, :region, :name, :level, :at, :pace)
ON CONFLICT (account, region, name) DO UPDATE SET level = excluded.level, at = excluded.at, pace = excluded.pace;

-- name: rates
-- Every bucket of the rate ledger.
SELECT * FROM rate ORDER BY account, region, name;
