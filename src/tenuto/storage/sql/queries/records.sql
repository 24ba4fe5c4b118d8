-- name: record
-- One record by its key.
SELECT * FROM record WHERE kind = :kind AND key = :key;

-- name: record_with_claim
-- The record of a kind that has a claim.
SELECT * FROM record WHERE kind = :kind AND claim = :claim;

-- name: records
-- All records of a kind.
SELECT * FROM record WHERE kind = :kind ORDER BY key;

-- name: records_with_claim
-- The records of a kind that have a claim.
SELECT * FROM record WHERE kind = :kind AND claim IS NOT NULL ORDER BY key;

-- name: save_record
-- A record as it is now.
INSERT INTO record (kind, key, claim, document, generation) VALUES (:kind, :key, :claim, :document, 1)
ON CONFLICT (kind, key) DO UPDATE SET
    claim = excluded.claim, document = excluded.document, generation = record.generation + 1;

-- name: remove_record
-- A record that is needed no more.
DELETE FROM record WHERE kind = :kind AND key = :key;
