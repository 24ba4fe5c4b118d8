-- name: save_entry
-- One object in one phase, as it is now.
INSERT INTO phase_entry (
    number, phase, state, status, message, code, request_id, first_started_at, started_at, ended_at, wake_at, attempt,
    runs, is_upkeep, failures, data, act
) VALUES (
    :number, :phase, :state, :status, :message, :code, :request_id, :first_started_at, :started_at, :ended_at, :wake_at,
    :attempt, :runs, :is_upkeep, :failures, :data, :act
)
ON CONFLICT (number, phase) DO UPDATE SET
    state = excluded.state, status = excluded.status, message = excluded.message, code = excluded.code,
    request_id = excluded.request_id, first_started_at = excluded.first_started_at, started_at = excluded.started_at,
    ended_at = excluded.ended_at, wake_at = excluded.wake_at, attempt = excluded.attempt, runs = excluded.runs,
    is_upkeep = excluded.is_upkeep, failures = excluded.failures, data = excluded.data, act = excluded.act;

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
-- Of upkeep, which every object at rest may have, only what is due is read, and for each phase the next.
WITH RECURSIVE kept (phase) AS (
    SELECT MIN(phase) FROM phase_entry WHERE is_upkeep = 1 AND status IN ('Waiting', 'Sleeping')
    UNION ALL
    SELECT (
        SELECT MIN(phase) FROM phase_entry
        WHERE is_upkeep = 1 AND status IN ('Waiting', 'Sleeping') AND phase > kept.phase
    )
    FROM kept WHERE kept.phase IS NOT NULL
)
SELECT phase, account, region, SUM(is_due) AS waiting, MIN(wake_at) AS wake_at FROM (
    SELECT
        entry.phase, item.account, item.region, entry.wake_at,
        entry.status = 'Waiting' OR entry.wake_at IS NULL OR entry.wake_at <= :now AS is_due
    FROM phase_entry AS entry
    JOIN object AS item USING (number)
    LEFT JOIN process ON process.fid = item.fid
    WHERE entry.is_upkeep = 0 AND entry.status IN ('Waiting', 'Sleeping')
        AND (item.fid IS NULL OR (process.state NOT IN ('Suspended', 'Gone') AND process.mandate = item.mandate))
    UNION ALL
    SELECT entry.phase, item.account, item.region, entry.wake_at, 1
    FROM kept
    JOIN phase_entry AS entry ON entry.phase = kept.phase
    JOIN object AS item USING (number)
    LEFT JOIN process ON process.fid = item.fid
    WHERE entry.is_upkeep = 1 AND entry.status IN ('Waiting', 'Sleeping')
        AND CASE entry.status WHEN 'Waiting' THEN 0 ELSE COALESCE(entry.wake_at, 0) END <= :now
        AND (item.fid IS NULL OR process.state NOT IN ('Suspended', 'Gone'))
    UNION ALL
    SELECT entry.phase, item.account, item.region, entry.wake_at, 0
    FROM kept
    JOIN phase_entry AS entry ON entry.phase = kept.phase AND entry.number = (
        SELECT later.number
        FROM phase_entry AS later
        JOIN object AS item USING (number)
        LEFT JOIN process ON process.fid = item.fid
        WHERE later.is_upkeep = 1 AND later.status IN ('Waiting', 'Sleeping') AND later.phase = kept.phase
            AND CASE later.status WHEN 'Waiting' THEN 0 ELSE COALESCE(later.wake_at, 0) END > :now
            AND (item.fid IS NULL OR process.state NOT IN ('Suspended', 'Gone'))
        ORDER BY CASE later.status WHEN 'Waiting' THEN 0 ELSE COALESCE(later.wake_at, 0) END
        LIMIT 1
    )
    JOIN object AS item ON item.number = entry.number
)
GROUP BY phase, account, region
ORDER BY phase, account, region;

-- name: waiting
-- The objects with a mandate that a run of a phase may take, those that wait longest first.
SELECT item.number, item.object_id, item.generation
FROM phase_entry AS entry
JOIN object AS item USING (number)
LEFT JOIN process ON process.fid = item.fid
WHERE entry.is_upkeep IN (0, 1) AND entry.phase = :phase
    AND entry.status IN ('Waiting', 'Sleeping')
    AND CASE entry.status WHEN 'Waiting' THEN 0 ELSE COALESCE(entry.wake_at, 0) END <= :now
    AND item.account = :account AND item.region = :region
    AND (
        item.fid IS NULL
        OR (process.state NOT IN ('Suspended', 'Gone') AND (entry.is_upkeep = 1 OR process.mandate = item.mandate))
    )
ORDER BY CASE entry.status WHEN 'Sleeping' THEN COALESCE(entry.wake_at, item.moved_at) ELSE item.moved_at END,
    item.object_id
LIMIT :limit;

-- name: without_upkeep
-- Objects that rest in one of some states and have no open entry of an upkeep phase; by id, after one.
-- States and types are JSON lists; `*` among the types is every one.
SELECT item.number, item.object_id, item.generation
FROM object AS item
WHERE item.is_final = 0 AND item.state = item.target AND item.object_id > :after
    AND item.state IN (SELECT value FROM json_each(:states))
    AND (item.type IN (SELECT value FROM json_each(:types)) OR '*' IN (SELECT value FROM json_each(:types)))
    AND NOT EXISTS (
        SELECT 1 FROM phase_entry
        WHERE number = item.number AND phase = :phase AND is_upkeep = 1 AND status NOT IN ('Completed', 'Canceled')
    )
ORDER BY item.object_id
LIMIT :limit;

-- name: without_mandate
-- Of objects by their ids, those for which nothing may be done now.
-- Their process is at rest, or they are under way for an older command than its last, or leave their state.
SELECT item.object_id
FROM object AS item
JOIN process ON process.fid = item.fid
WHERE item.object_id IN (SELECT value FROM json_each(:ids))
    AND (
        process.state IN ('Suspended', 'Gone')
        OR (
            process.mandate <> item.mandate
            AND (
                item.state <> item.target
                OR EXISTS (
                    SELECT 1 FROM phase_entry
                    WHERE number = item.number AND is_upkeep = 0 AND status NOT IN ('Completed', 'Canceled', 'Failed')
                )
            )
        )
        OR EXISTS (SELECT 1 FROM phase_entry WHERE number = item.number AND status = 'Canceling')
    )
ORDER BY item.number;

-- name: interrupted
-- What a Conductor that died leaves behind.
SELECT item.number, item.object_id, item.generation FROM object AS item
WHERE number IN (SELECT number FROM phase_entry WHERE status IN ('Running', 'Canceling'))
ORDER BY item.created_at, item.object_id;
