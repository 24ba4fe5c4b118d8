-- name: standings_of_objects
-- What the checks need of objects, by their ids, given as a JSON list.
SELECT
    number, object_id, state, generation, lifecycle, type, provider, account, region, fid, logical_id, incarnation,
    created_at
FROM object WHERE object_id IN (SELECT value FROM json_each(:ids));

-- name: holder_of_address
-- The object of one incarnation of one address.
SELECT object_id FROM object WHERE fid = :fid AND logical_id = :logical_id AND incarnation = :incarnation;

-- name: insert_object
-- The narrow row of a new object.
INSERT INTO object (
    object_id, lifecycle, type, provider, account, region, fid, logical_id, incarnation, state, target, is_final,
    generation, message, created_at, moved_at, touched_at, physical_id, desired_digest, deletion_policy, plan_id,
    mandate, request, has_stood
) VALUES (
    :object_id, :lifecycle, :type, :provider, :account, :region, :fid, :logical_id, :incarnation, :state, :target,
    :is_final, :generation, :message, :created_at, :moved_at, :touched_at, :physical_id, :desired_digest,
    :deletion_policy, :plan_id, :mandate, :request, :has_stood
);

-- name: update_object
-- The narrow row: all that a transition writes of the object itself.
UPDATE object SET
    state = :state, target = :target, is_final = :is_final, generation = :generation, message = :message,
    moved_at = :moved_at, touched_at = :touched_at, physical_id = :physical_id, desired_digest = :desired_digest,
    deletion_policy = :deletion_policy, plan_id = :plan_id, mandate = :mandate, request = :request,
    has_stood = :has_stood
WHERE number = :number;

-- name: insert_object_document
-- The documents of a new object.
INSERT INTO object_document (number, desired, attributes, depends_on, kept)
VALUES (:number, :desired, :attributes, :depends_on, :kept);

-- name: update_object_document
-- The documents, when a change names them.
UPDATE object_document SET desired = :desired, attributes = :attributes, depends_on = :depends_on, kept = :kept
WHERE number = :number;

-- name: objects_by_id
-- Objects by their ids, given as a JSON list.
SELECT number, object_id, generation FROM object WHERE object_id IN (SELECT value FROM json_each(:ids));

-- name: names_of_objects
-- The logical ids of objects of a process, by their ids, given as a JSON list.
SELECT object_id, logical_id AS name FROM object
WHERE object_id IN (SELECT value FROM json_each(:ids)) AND fid = :fid;

-- name: names_of_removed_objects
-- The same from the events of their births.
SELECT object_id, subject AS name FROM event
WHERE fid = :fid AND type = 'object.state' AND before = 'nothing'
    AND object_id IN (SELECT value FROM json_each(:ids));

-- name: objects_of_process
-- Every live incarnation, and the latest final one of each address.
SELECT number, object_id, generation FROM object AS item
WHERE fid = :fid AND (
    is_final = 0
    OR incarnation = (
        SELECT MAX(incarnation) FROM object
        WHERE fid = item.fid AND logical_id = item.logical_id AND is_final = 1
    )
)
ORDER BY logical_id, incarnation;

-- name: open_objects
-- Of processes by their ids, given as a JSON list: the first object of each kind of open entry.
SELECT DISTINCT number, object_id, generation FROM (
    SELECT  -- The other columns of a group are from the row of its MIN: SQLite promises that.
        item.number, item.object_id, item.generation, item.fid,
        MIN(item.logical_id || printf(' %09d', item.incarnation)) AS address
    FROM object AS item
    JOIN phase_entry AS entry USING (number)
    WHERE item.fid IN (SELECT value FROM json_each(:fids))
        AND entry.status NOT IN ('Completed', 'Canceled')
        AND (entry.is_upkeep = 0 OR entry.status = 'Canceling')
        AND (
            item.is_final = 0
            OR item.incarnation = (
                SELECT MAX(incarnation) FROM object
                WHERE fid = item.fid AND logical_id = item.logical_id AND is_final = 1
            )
        )
    GROUP BY
        item.fid, entry.phase, entry.status, entry.state = item.state,
        CASE WHEN entry.status = 'Sleeping' THEN COALESCE(NULLIF(entry.code, ''), substr(entry.message, -60)) END
)
ORDER BY fid, address;

-- name: tracked_objects
-- Live objects of a type that the provider knows.
SELECT number, object_id, generation FROM object
WHERE type = :type AND account = :account AND region = :region AND physical_id IS NOT NULL AND is_final = 0
ORDER BY created_at, object_id;

-- name: tracked_ids
-- The ids of the same, of several types of one provider.
SELECT type, physical_id FROM object
WHERE type IN (SELECT value FROM json_each(:types)) AND account = :account AND region = :region
  AND provider = :provider AND physical_id IS NOT NULL AND is_final = 0;

-- name: objects_standing_for
-- Live objects with one of some physical ids, of any type.
SELECT number, object_id, generation FROM object
WHERE physical_id IN (SELECT value FROM json_each(:physical_ids)) AND account = :account AND region = :region
  AND is_final = 0
ORDER BY created_at, object_id;

-- name: objects_claimed_twice
-- Live objects of several processes that claim one real thing. Asked by people now and then, so a scan is no harm.
SELECT number, object_id, generation FROM object
JOIN (
    SELECT type, provider, account, region, physical_id FROM object
    WHERE physical_id IS NOT NULL AND is_final = 0
    GROUP BY type, provider, account, region, physical_id
    HAVING COUNT(DISTINCT COALESCE(fid, '')) > 1
    ORDER BY type, provider, account, region, physical_id
    LIMIT :limit
) AS claimed USING (type, account, region, physical_id)
WHERE object.provider IS claimed.provider AND is_final = 0
ORDER BY type, object.provider, account, region, physical_id, created_at, object_id;

-- name: objects_dated_after
-- Live objects with anything later than a moment. Asked once, at a start, so a scan is no harm.
SELECT number, object_id, generation FROM object
WHERE is_final = 0 AND (
    moved_at > :moment
    OR touched_at > :moment
    OR number IN (
        SELECT number FROM phase_entry
        WHERE first_started_at > :moment OR started_at > :moment OR ended_at > :moment OR wake_at > :moment
    )
)
ORDER BY created_at, object_id;

-- name: object_rows
-- Objects by their numbers, given as a JSON list.
SELECT * FROM object JOIN object_document USING (number)
WHERE number IN (SELECT value FROM json_each(:numbers));

-- name: resource_states
-- How many objects of processes are in each state that is not final: a number for people, so a scan now and then is no harm.
SELECT state, count(*) AS count FROM object WHERE fid IS NOT NULL AND is_final = 0 GROUP BY state ORDER BY state;
