-- name: rules
-- Everything that compositions are held to.
SELECT * FROM rule ORDER BY name;

-- name: save_rule
-- A rule in place of the one of its name.
INSERT INTO rule (name, document, added_at, added_by) VALUES (:name, :document, :added_at, :added_by)
ON CONFLICT (name) DO UPDATE SET
    document = excluded.document, added_at = excluded.added_at, added_by = excluded.added_by;

-- name: remove_rule
-- A rule that holds no more.
DELETE FROM rule WHERE name = :name;

-- name: versions_of_processes
-- What every live process runs now.
SELECT fid, composition_digest, updated_at FROM process WHERE state <> 'Gone';
