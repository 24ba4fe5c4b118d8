-- name: object_counts
-- The live objects of all processes by how they are.
SELECT fid, COUNT(*) AS total, SUM(is_ready AND NOT is_failed) AS ready, SUM(is_failed) AS failed FROM (
    SELECT
        item.fid,
        item.state = item.target AND NOT EXISTS (
            SELECT 1 FROM phase_entry AS entry
            WHERE entry.number = item.number AND entry.status NOT IN ('Completed', 'Canceled')
                AND entry.is_upkeep = 0 AND entry.state = item.state
        ) AS is_ready,
        EXISTS (
            SELECT 1 FROM phase_entry AS entry
            WHERE entry.number = item.number AND entry.status = 'Failed' AND entry.is_upkeep = 0
        ) AS is_failed
    FROM object AS item
    WHERE item.is_final = 0 AND item.fid IS NOT NULL
)
GROUP BY fid;

-- name: object_counts_of
-- The same for some processes: a query of its own, because only so the index of a process is used.
SELECT fid, COUNT(*) AS total, SUM(is_ready AND NOT is_failed) AS ready, SUM(is_failed) AS failed FROM (
    SELECT
        item.fid,
        item.state = item.target AND NOT EXISTS (
            SELECT 1 FROM phase_entry AS entry
            WHERE entry.number = item.number AND entry.status NOT IN ('Completed', 'Canceled')
                AND entry.is_upkeep = 0 AND entry.state = item.state
        ) AS is_ready,
        EXISTS (
            SELECT 1 FROM phase_entry AS entry
            WHERE entry.number = item.number AND entry.status = 'Failed' AND entry.is_upkeep = 0
        ) AS is_failed
    FROM object AS item
    WHERE item.is_final = 0 AND item.fid IN (SELECT value FROM json_each(:fids))
)
GROUP BY fid;

-- name: drift_counts
-- The addresses of processes with a drift that stands; of all processes when `:fids` is null.
SELECT fid, COUNT(*) AS count FROM drift
WHERE :fids IS NULL OR fid IN (SELECT value FROM json_each(:fids))
GROUP BY fid;

-- name: drift_times
-- When drift was found and held, newest first. The types are written out, because only so their own index is used.
SELECT type, fid, at FROM event
WHERE type IN ('drift.found', 'resource.held') AND at >= :start
ORDER BY at DESC, number DESC LIMIT :limit;

-- name: in_phase
-- Live objects with an open entry in a phase, of these processes and of none; of all when `:fids` is null, by a scan.
WITH candidate (number) AS (
    SELECT number FROM phase_entry
    WHERE :fids IS NULL AND phase = :phase AND status NOT IN ('Completed', 'Canceled')
    UNION ALL
    SELECT number FROM object WHERE fid IN (SELECT value FROM json_each(:fids)) AND is_final = 0
    UNION ALL
    SELECT number FROM object WHERE :fids IS NOT NULL AND fid IS NULL AND is_final = 0
)
SELECT item.number, item.object_id, item.generation FROM candidate
CROSS JOIN phase_entry AS entry USING (number)
JOIN object AS item USING (number)
WHERE entry.phase = :phase AND entry.status NOT IN ('Completed', 'Canceled') AND item.is_final = 0
    AND (:status = '' OR entry.status = :status)
    AND (:only IS NULL OR entry.status || ':' || CASE entry.code WHEN '' THEN entry.message ELSE entry.code END
        IN (SELECT value FROM json_each(:only)))
    AND entry.status || ':' || CASE entry.code WHEN '' THEN entry.message ELSE entry.code END
        NOT IN (SELECT value FROM json_each(:without))
    AND (:after_id IS NULL
        OR (entry.status <> 'Failed', item.moved_at, item.object_id) > (:after_rank, :after_at, :after_id))
ORDER BY entry.status <> 'Failed', item.moved_at, item.object_id LIMIT :limit;

-- name: reasons_in_phase
-- The same objects, counted by process, status and reason. The message is that of the oldest of each.
WITH candidate (number) AS (
    SELECT number FROM phase_entry
    WHERE :fids IS NULL AND phase = :phase AND status NOT IN ('Completed', 'Canceled')
    UNION ALL
    SELECT number FROM object WHERE fid IN (SELECT value FROM json_each(:fids)) AND is_final = 0
    UNION ALL
    SELECT number FROM object WHERE :fids IS NOT NULL AND fid IS NULL AND is_final = 0
)
SELECT
    item.fid, entry.status, entry.code, entry.message, COUNT(*) AS count,
    MIN(COALESCE(entry.started_at, item.moved_at)) AS since
FROM candidate
CROSS JOIN phase_entry AS entry USING (number)
JOIN object AS item USING (number)
WHERE entry.phase = :phase AND entry.status NOT IN ('Completed', 'Canceled') AND item.is_final = 0
GROUP BY item.fid, entry.status, CASE entry.code WHEN '' THEN entry.message ELSE entry.code END
ORDER BY entry.status <> 'Failed', count DESC, item.fid LIMIT :limit;

-- name: find_objects
-- Objects by physical id, by id (both may be cut short, an id of ours to eight letters), or by logical id; live first.
SELECT object_id, fid, account, logical_id, type, physical_id, state, moved_at, is_final FROM object
WHERE (physical_id >= :text AND physical_id < :text || char(1114111)) OR logical_id = :text
OR (object_id >= :text AND object_id < :text || char(1114111) AND length(:text) >= 8)
ORDER BY is_final, physical_id = :text DESC, created_at DESC, number DESC LIMIT :limit;

-- name: find_ops
-- Provider operations by request id.
SELECT op.number, op.at, op.service, op.operation, op.account, owner.fid FROM op
LEFT JOIN op_of_process AS owner USING (number)
WHERE op.request_id = :text AND op.request_id <> ''
ORDER BY op.at DESC, op.number DESC LIMIT :limit;
