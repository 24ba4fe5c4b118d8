-- name: claim
-- One claim.
SELECT * FROM claim WHERE space = :space AND key = :key;

-- name: claims_of_object
-- The claims of one object, also those that it let go and that are reserved.
SELECT * FROM claim WHERE object_id = :object_id ORDER BY space, key;

-- name: save_claim
-- A claim for its new holder. Whether it may have it was checked.
INSERT INTO claim (space, key, object_id, halo_s, free_at) VALUES (:space, :key, :object_id, :halo_s, NULL)
ON CONFLICT (space, key) DO UPDATE SET object_id = excluded.object_id, halo_s = excluded.halo_s, free_at = NULL;

-- name: reserve_claim
-- A claim that its object drops stays reserved for its halo.
UPDATE claim SET free_at = :at + halo_s WHERE space = :space AND key = :key AND object_id = :object_id AND halo_s > 0;

-- name: remove_claim
-- A claim without a halo that its object drops.
DELETE FROM claim WHERE space = :space AND key = :key AND object_id = :object_id AND halo_s = 0;

-- name: reserve_claims_of_object
-- All claims of an object that came to its end stay reserved for their halos.
UPDATE claim SET free_at = :at + halo_s WHERE object_id = :object_id AND free_at IS NULL AND halo_s > 0;

-- name: remove_claims_of_object
-- All claims without a halo of an object that came to its end.
DELETE FROM claim WHERE object_id = :object_id AND halo_s = 0;

-- name: remove_free_claims
-- Claims whose reservation is over: nobody needs the row.
DELETE FROM claim WHERE free_at <= :now;

-- name: holder
-- What a check needs of an object that holds a claim, takes one, or is one end of a relation.
SELECT object_id, type, logical_id, lifecycle, state, target, is_final FROM object WHERE object_id = :object_id;

-- name: relations_of_object
-- From one object.
SELECT * FROM relation WHERE from_id = :object_id ORDER BY role, to_id;

-- name: save_relation
-- The same again writes nothing.
INSERT INTO relation (from_id, role, to_id) VALUES (:from_id, :role, :to_id) ON CONFLICT DO NOTHING;

-- name: remove_relation
-- One relation.
DELETE FROM relation WHERE from_id = :from_id AND role = :role AND to_id = :to_id;

-- name: remove_relations_of_object
-- All relations of an object that came to its end.
DELETE FROM relation WHERE from_id = :object_id;

-- name: users_of_object
-- The objects that need one object.
SELECT DISTINCT item.number, item.object_id, item.generation FROM relation
JOIN object AS item ON item.object_id = relation.from_id
WHERE relation.to_id = :object_id ORDER BY item.object_id LIMIT :limit;

-- name: users_by_name
-- The same, as the check of a deletion needs it.
SELECT DISTINCT item.type, item.logical_id FROM relation
JOIN object AS item ON item.object_id = relation.from_id
WHERE relation.to_id = :object_id ORDER BY item.type, item.logical_id LIMIT :limit;

-- name: dangling_claims
-- Claims that nothing lives for and that are not reserved. Asked by people now and then, so a scan is no harm.
SELECT claim.* FROM claim LEFT JOIN object AS item USING (object_id)
WHERE claim.free_at IS NULL AND COALESCE(item.is_final, 1) = 1
ORDER BY claim.space, claim.key LIMIT :limit;

-- name: dangling_relations
-- Relations with an end that is not live.
SELECT relation.* FROM relation
LEFT JOIN object AS source ON source.object_id = relation.from_id
LEFT JOIN object AS target ON target.object_id = relation.to_id
WHERE COALESCE(source.is_final, 1) = 1 OR COALESCE(target.is_final, 1) = 1
ORDER BY relation.from_id, relation.role, relation.to_id LIMIT :limit;

-- name: objects_requested
-- Objects without a process. The texts `:types` and `:states` are JSON lists; an empty one means all.
SELECT number, object_id, generation FROM object
WHERE fid IS NULL AND object_id > :after
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
    AND (:states = '[]' OR state IN (SELECT value FROM json_each(:states)))
    AND (:account = '' OR account = :account)
    AND (:live = 0 OR is_final = 0)
ORDER BY object_id LIMIT :limit;

-- name: objects_requested_by_name
-- The same of one name: a query of its own, because only so its index is used.
SELECT number, object_id, generation FROM object
WHERE fid IS NULL AND logical_id = :name AND object_id > :after
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
    AND (:states = '[]' OR state IN (SELECT value FROM json_each(:states)))
    AND (:account = '' OR account = :account)
    AND (:live = 0 OR is_final = 0)
ORDER BY object_id LIMIT :limit;

-- name: events_of_object
-- The newest events of one object, of a process or without one, newest first.
SELECT * FROM event
WHERE object_id = :object_id AND number > :after AND number < COALESCE(:before, 9223372036854775807)
    AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT :limit;
