-- name: save_entry
-- One object in one phase, as it is now.
INSERT INTO phase_entry (
    number, phase, state, status, message, code, request_id, first_started_at, started_at, ended_at, wake_at, attempt,
    runs, data, act
) VALUES (
    :number, :phase, :state, :status, :message, :code, :request_id, :first_started_at, :started_at, :ended_at, :wake_at,
    :attempt, :runs, :data, :act
)
ON CONFLICT (number, phase) DO UPDATE SET
    state = excluded.state, status = excluded.status, message = excluded.message, code = excluded.code,
    request_id = excluded.request_id, first_started_at = excluded.first_started_at, started_at = excluded.started_at,
    ended_at = excluded.ended_at, wake_at = excluded.wake_at, attempt = excluded.attempt, runs = excluded.runs,
    data = excluded.data, act = excluded.act;

-- name: remove_entry
-- A phase that the object is not in any more.
DELETE FROM phase_entry WHERE number = :number AND phase = :phase;

-- name: has_failed_entry
-- Whether any phase of the object is Failed.
SELECT EXISTS (SELECT 1 FROM phase_entry WHERE number = :number AND status = 'Failed');

-- name: entry_rows
-- The entries of objects by their numbers, given as a JSON list.
SELECT * FROM phase_entry WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY number, phase;

-- name: ready
-- Phases and partitions with something to do now, or else when; of objects with a mandate (`without_mandate`).
SELECT
    entry.phase, item.account, item.region,
    SUM(entry.status = 'Waiting' OR entry.wake_at IS NULL OR entry.wake_at <= :now) AS waiting,
    MIN(entry.wake_at) AS wake_at
FROM phase_entry AS entry
JOIN object AS item USING (number)
LEFT JOIN process ON process.fid = item.fid
WHERE entry.status IN ('Waiting', 'Sleeping')
    AND (item.fid IS NULL OR (process.state NOT IN ('Suspended', 'Gone') AND process.mandate = item.mandate))
GROUP BY entry.phase, item.account, item.region
ORDER BY entry.phase, item.account, item.region;

-- name: waiting
-- The objects with a mandate that a run of a phase may take, those that wait longest first.
SELECT item.number, item.object_id, item.generation
FROM phase_entry AS entry
JOIN object AS item USING (number)
LEFT JOIN process ON process.fid = item.fid
WHERE entry.phase = :phase
    AND entry.status IN ('Waiting', 'Sleeping')
    AND (entry.status = 'Waiting' OR entry.wake_at IS NULL OR entry.wake_at <= :now)
    AND item.account = :account AND item.region = :region
    AND (item.fid IS NULL OR (process.state NOT IN ('Suspended', 'Gone') AND process.mandate = item.mandate))
ORDER BY CASE entry.status WHEN 'Sleeping' THEN COALESCE(entry.wake_at, item.moved_at) ELSE item.moved_at END,
    item.object_id
LIMIT :limit;

-- name: without_mandate
-- Of objects by their ids, those whose process is at rest or has a newer command, and those that leave their state.
SELECT item.object_id
FROM object AS item
JOIN process ON process.fid = item.fid
WHERE item.object_id IN (SELECT value FROM json_each(:ids))
    AND (
        process.state IN ('Suspended', 'Gone')
        OR process.mandate <> item.mandate
        OR EXISTS (SELECT 1 FROM phase_entry WHERE number = item.number AND status = 'Canceling')
    )
ORDER BY item.number;

-- name: interrupted
-- What a Conductor that died leaves behind.
SELECT item.number, item.object_id, item.generation FROM object AS item
WHERE number IN (SELECT number FROM phase_entry WHERE status IN ('Running', 'Canceling'))
ORDER BY item.created_at, item.object_id;
