-- name: flips
-- What is remembered of a process.
SELECT document FROM flip WHERE fid = :fid ORDER BY logical_id, path;

-- name: held_processes
-- Those of processes by their ids, given as a JSON list, of which a property is held.
SELECT DISTINCT fid FROM flip
WHERE fid IN (SELECT value FROM json_each(:fids)) AND json_extract(document, '$.held_at') IS NOT NULL;

-- name: save_flip
-- One property as it is now.
INSERT INTO flip (fid, logical_id, path, document) VALUES (:fid, :logical_id, :path, :document)
ON CONFLICT (fid, logical_id, path) DO UPDATE SET document = excluded.document;

-- name: remove_flip
-- One that need not be remembered.
DELETE FROM flip WHERE fid = :fid AND logical_id = :logical_id AND path = :path;
