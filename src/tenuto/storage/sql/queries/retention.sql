-- Rows that nothing needs any more: `expired_KIND` names the oldest of them, `remove_KIND` removes those by their keys,
-- and `tally_KIND` counts a kind. `own` is 1 for events that only tell of removals.

-- name: expired_denied
-- Events of commands that were denied.
SELECT number AS key, at, 0 AS own FROM event
WHERE type = 'command.denied' AND at < :before ORDER BY at, number LIMIT :limit;

-- name: expired_events
-- All other events.
SELECT number AS key, at, type = 'retention' AS own FROM event
WHERE type <> 'command.denied' AND at < :before ORDER BY at, number LIMIT :limit;

-- name: expired_ops
-- Provider calls.
SELECT number AS key, at, 0 AS own FROM op WHERE at < :before ORDER BY at, number LIMIT :limit;

-- name: expired_commands
-- Commands, but not those whose mandate is not done: what a person has approved with them is still needed.
SELECT number AS key, at, 0 AS own FROM command
WHERE at < :before AND NOT EXISTS (
    SELECT 1 FROM process
    WHERE process.fid = command.fid AND process.state <> 'Gone' AND process.intent <> 'done'
        AND command.at >= MIN(process.updated_at, COALESCE(process.unconverged_at, process.updated_at))
)
ORDER BY at, number LIMIT :limit;

-- name: expired_jobs
-- Jobs that have ended, but not the last one of a live process, nor those of a command that is not done.
SELECT job_id AS key, started_at AS at, 0 AS own FROM job
WHERE kind <> 'dry-run' AND started_at < :before AND status <> 'RUNNING' AND NOT EXISTS (
    SELECT 1 FROM process
    WHERE process.fid = job.fid AND process.state <> 'Gone' AND (
        process.job_id = job.job_id
        OR json_extract(process.last_job, '$.job_id') = job.job_id
        OR (
            process.intent <> 'done' AND job.kind = 'command'
            AND job.started_at >= MIN(process.updated_at, COALESCE(process.unconverged_at, process.updated_at))
        )
    )
)
ORDER BY started_at, job_id LIMIT :limit;

-- name: expired_dry_runs
-- Jobs that only showed what would be done.
SELECT job_id AS key, started_at AS at, 0 AS own FROM job
WHERE kind = 'dry-run' AND started_at < :before AND status <> 'RUNNING' ORDER BY started_at, job_id LIMIT :limit;

-- name: expired_plans
-- Plans, but not those of a job that runs, of a command that is not done, or that a live object names.
SELECT plan_id AS key, made_at AS at, 0 AS own FROM plan
WHERE made_at < :before
    AND NOT EXISTS (
        SELECT 1 FROM job JOIN process USING (fid)
        WHERE job.plan_id = plan.plan_id AND process.state <> 'Gone' AND (
            job.status = 'RUNNING'
            OR process.job_id = job.job_id
            OR (
                process.intent <> 'done' AND job.kind = 'command'
                AND job.started_at >= MIN(process.updated_at, COALESCE(process.unconverged_at, process.updated_at))
            )
        )
    )
    -- Read once for each question, and only when a plan is old enough: an index would cost every transition.
    AND plan_id NOT IN (SELECT plan_id FROM object WHERE is_final = 0 AND plan_id IS NOT NULL)
ORDER BY made_at, number LIMIT :limit;

-- name: expired_objects
-- Final objects that age out, but not while a job of their process runs, nor those given back with their tags.
SELECT number AS key, moved_at AS at, 0 AS own FROM object
WHERE is_final = 1 AND moved_at < :before AND lifecycle NOT IN (SELECT value FROM json_each(:kept_lifecycles))
    AND NOT EXISTS (
        -- The plan of the job may name the object. Tags say that a thing is ours, and only the object that it is not.
        SELECT 1 FROM process
        WHERE process.fid = object.fid
            AND (process.job_id IS NOT NULL OR (process.releasing = 'keep-tags' AND object.state IN (SELECT value FROM json_each(:released))))
    )
ORDER BY moved_at, number LIMIT :limit;

-- name: expired_processes
-- Processes that are gone, with everything of theirs.
SELECT fid AS key, COALESCE(ended_at, updated_at) AS at, 0 AS own FROM process
WHERE state = 'Gone' AND COALESCE(ended_at, updated_at) < :before
    AND NOT EXISTS (SELECT 1 FROM object WHERE object.fid = process.fid)
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.fid = process.fid)
    AND NOT EXISTS (SELECT 1 FROM command WHERE command.fid = process.fid)
    AND NOT EXISTS (SELECT 1 FROM plan WHERE plan.fid = process.fid)
    AND NOT EXISTS (SELECT 1 FROM event WHERE event.fid = process.fid)
    AND NOT EXISTS (SELECT 1 FROM op_of_process WHERE op_of_process.fid = process.fid)
ORDER BY COALESCE(ended_at, updated_at), fid LIMIT :limit;

-- name: expired_compositions
-- Compositions that no stored process has. They have no age: an update leaves the one before behind.
SELECT digest AS key, 0.0 AS at, 0 AS own FROM composition
WHERE NOT EXISTS (SELECT 1 FROM process WHERE process.composition_digest = composition.digest)
ORDER BY digest LIMIT :limit;

-- name: remove_events
-- Events of either kind.
DELETE FROM event WHERE number IN (SELECT value FROM json_each(:keys));

-- name: remove_ops
-- Provider calls, and whose they were.
DELETE FROM op WHERE number IN (SELECT value FROM json_each(:keys));

-- name: remove_commands
-- Commands.
DELETE FROM command WHERE number IN (SELECT value FROM json_each(:keys));

-- name: remove_jobs
-- Jobs of any kind.
DELETE FROM job WHERE job_id IN (SELECT value FROM json_each(:keys));

-- name: remove_plans
-- Plans.
DELETE FROM plan WHERE plan_id IN (SELECT value FROM json_each(:keys));

-- name: remove_objects
-- Objects, their documents and their phases.
DELETE FROM object WHERE number IN (SELECT value FROM json_each(:keys));

-- name: remove_processes
-- Processes, with what is remembered of their drift.
DELETE FROM process WHERE fid IN (SELECT value FROM json_each(:keys));

-- name: remove_compositions
-- Compositions.
DELETE FROM composition WHERE digest IN (SELECT value FROM json_each(:keys));

-- name: note_removed
-- What was removed of a kind, added to what was removed before.
INSERT INTO removed (kind, rows, until, removed_at) VALUES (:kind, :rows, :until, :removed_at)
ON CONFLICT (kind) DO UPDATE SET
    rows = rows + excluded.rows, until = MAX(until, excluded.until), removed_at = excluded.removed_at;

-- name: removed
-- All that was ever removed, by kind.
SELECT kind, rows, until FROM removed ORDER BY kind;

-- name: tally_denied
-- Events of commands that were denied.
SELECT COUNT(*) AS rows, MIN(at) AS oldest FROM event WHERE type = 'command.denied';

-- name: tally_events
-- All other events.
SELECT COUNT(*) AS rows, MIN(at) AS oldest FROM event WHERE type <> 'command.denied';

-- name: tally_ops
-- Provider calls.
SELECT COUNT(*) AS rows, MIN(at) AS oldest FROM op;

-- name: tally_commands
-- Commands.
SELECT COUNT(*) AS rows, MIN(at) AS oldest FROM command;

-- name: tally_jobs
-- Jobs that did something.
SELECT COUNT(*) AS rows, MIN(started_at) AS oldest FROM job WHERE kind <> 'dry-run';

-- name: tally_dry_runs
-- Jobs that only showed what would be done.
SELECT COUNT(*) AS rows, MIN(started_at) AS oldest FROM job WHERE kind = 'dry-run';

-- name: tally_plans
-- Plans.
SELECT COUNT(*) AS rows, MIN(made_at) AS oldest FROM plan;

-- name: tally_objects
-- Objects in a final state.
SELECT COUNT(*) AS rows, MIN(moved_at) AS oldest FROM object WHERE is_final = 1;

-- name: tally_processes
-- Processes that are gone.
SELECT COUNT(*) AS rows, MIN(COALESCE(ended_at, updated_at)) AS oldest FROM process WHERE state = 'Gone';

-- name: tally_compositions
-- Compositions, needed or not.
SELECT COUNT(*) AS rows, NULL AS oldest FROM composition;
