-- name: drifts
-- The drifts of a process that were told and still stand.
SELECT document FROM drift WHERE fid = :fid ORDER BY logical_id;

-- name: save_drift
-- The drift of one address as it was told last.
INSERT INTO drift (fid, logical_id, document) VALUES (:fid, :logical_id, :document)
ON CONFLICT (fid, logical_id) DO UPDATE SET document = excluded.document;

-- name: remove_drift
-- One that is over.
DELETE FROM drift WHERE fid = :fid AND logical_id = :logical_id;
