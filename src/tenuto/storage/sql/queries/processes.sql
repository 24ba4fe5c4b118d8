-- name: standing_of_process
-- What a check needs of a process.
SELECT state, generation, account, region, provider, created_at FROM process WHERE fid = :fid;

-- name: holder_of_alias
-- The live process that has an alias.
SELECT fid FROM process WHERE alias = :alias AND state <> 'Gone';

-- name: insert_process
-- A new process.
INSERT INTO process (
    fid, alias, name, account, region, provider, state, generation, mandate, is_locked, is_enforced,
    enforcement_until, composition_digest, composition_name, created_at, updated_at, intent, command, given_at,
    next_job_at, job_id, last_job, last_message, converged_at, unconverged_at, ended_at, releasing,
    commanded_by, request, causes, suspended_at, unenforced_at
) VALUES (
    :fid, :alias, :name, :account, :region, :provider, :state, :generation, :mandate, :is_locked, :is_enforced,
    :enforcement_until, :composition_digest, :composition_name, :created_at, :updated_at, :intent, :command, :given_at,
    :next_job_at, :job_id, :last_job, :last_message, :converged_at, :unconverged_at, :ended_at, :releasing,
    :commanded_by, :request, :causes, :suspended_at, :unenforced_at
);

-- name: update_process
-- Everything of a process that can change, but its documents.
UPDATE process SET
    alias = :alias, name = :name, state = :state, generation = :generation, mandate = :mandate,
    is_locked = :is_locked, is_enforced = :is_enforced, enforcement_until = :enforcement_until,
    composition_digest = :composition_digest, composition_name = :composition_name, updated_at = :updated_at,
    intent = :intent, command = :command, given_at = :given_at, next_job_at = :next_job_at,
    job_id = :job_id, last_job = :last_job, last_message = :last_message, converged_at = :converged_at,
    unconverged_at = :unconverged_at, ended_at = :ended_at, releasing = :releasing,
    commanded_by = :commanded_by, request = :request, causes = :causes,
    suspended_at = :suspended_at, unenforced_at = :unenforced_at
WHERE fid = :fid;

-- name: insert_process_document
-- The documents of a new process.
INSERT INTO process_document (fid, lookups, sealed, adopting) VALUES (:fid, :lookups, :sealed, :adopting);

-- name: update_process_document
-- The documents of a process, only when they differ: a job does not touch them.
UPDATE process_document SET lookups = :lookups, sealed = :sealed, adopting = :adopting
WHERE fid = :fid AND (lookups <> :lookups OR sealed <> :sealed OR adopting <> :adopting);

-- name: process_by_fid
-- One process by its id.
SELECT * FROM process JOIN process_document USING (fid) WHERE fid = :reference;

-- name: processes_by_fid
-- Processes by their ids, given as a JSON list.
SELECT * FROM process JOIN process_document USING (fid) WHERE fid IN (SELECT value FROM json_each(:fids));

-- name: process_by_alias
-- The live process of an alias before the gone ones, then the one that was gone last.
SELECT * FROM process JOIN process_document USING (fid) WHERE alias = :reference
ORDER BY state = 'Gone', COALESCE(ended_at, updated_at) DESC, created_at DESC, fid DESC LIMIT 1;

-- name: processes
-- All processes, or only those not gone, in the order they were made.
SELECT * FROM process JOIN process_document USING (fid) WHERE :live = 0 OR state <> 'Gone' ORDER BY created_at, fid;

-- name: process_page
-- All processes a page at a time, also those gone.
SELECT * FROM process JOIN process_document USING (fid) WHERE fid > :after ORDER BY fid LIMIT :limit;

-- name: insert_composition
-- Stored once by digest.
INSERT INTO composition (digest, document) VALUES (:digest, :document) ON CONFLICT (digest) DO NOTHING;

-- name: composition
-- One composition by its digest.
SELECT document FROM composition WHERE digest = :digest;

-- name: residents_of_account
-- The live processes of an account.
SELECT COALESCE(alias, fid) AS name FROM process WHERE account = :name AND state <> 'Gone' ORDER BY created_at, fid;

-- name: objects_of_account
-- The live objects of an account that requests made, but for one. Nodes are none of them: no request made them.
SELECT type, logical_id FROM object
WHERE fid IS NULL AND is_final = 0 AND account = :name AND object_id IS NOT :but
    AND type NOT IN (SELECT value FROM json_each(:nodes))
ORDER BY object_id LIMIT :limit;

-- name: versions_of_processes
-- What every live process runs now.
SELECT fid, composition_digest, updated_at FROM process WHERE state <> 'Gone';
