-- name: lease
-- The lease, when anybody ever took it.
SELECT holder, epoch, renewed_at, expires_at FROM lease WHERE name = 'conductor';

-- name: save_lease
-- The lease, taken or renewed.
INSERT INTO lease (name, holder, epoch, renewed_at, expires_at)
VALUES ('conductor', :holder, :epoch, :renewed_at, :expires_at)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch,
    renewed_at = excluded.renewed_at, expires_at = excluded.expires_at;
