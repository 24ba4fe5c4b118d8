-- name: running_job
-- The job that a process executes now.
SELECT job_id FROM job WHERE fid = :fid AND status = 'RUNNING' AND kind <> 'dry-run';

-- name: save_job
-- A job as it is now.
INSERT INTO job (
    job_id, fid, kind, command, actor, request, status, plan_id, plan_summary, message, is_throttled, started_at,
    finished_at
)
VALUES (
    :job_id, :fid, :kind, :command, :actor, :request, :status, :plan_id, :plan_summary, :message, :is_throttled,
    :started_at, :finished_at
)
ON CONFLICT (job_id) DO UPDATE SET
    kind = excluded.kind, command = excluded.command, actor = excluded.actor, request = excluded.request, status = excluded.status,
    plan_id = excluded.plan_id, plan_summary = excluded.plan_summary, message = excluded.message,
    is_throttled = excluded.is_throttled, started_at = excluded.started_at, finished_at = excluded.finished_at;

-- name: insert_plan
-- A plan, once.
INSERT INTO plan (plan_id, fid, made_at, document) VALUES (:plan_id, :fid, :made_at, :document);

-- name: insert_command
-- A command as it was given.
INSERT INTO command (fid, command, at, actor, request, detail)
VALUES (:fid, :command, :at, :actor, :request, :detail);

-- name: insert_event
-- One fact.
INSERT INTO event (at, type, fid, object_id, subject, before, after, actor, request, reason, data)
VALUES (:at, :type, :fid, :object_id, :subject, :before, :after, :actor, :request, :reason, :data);

-- name: next_op
-- The number of the next provider call.
SELECT COALESCE(MAX(number), 0) + 1 AS number FROM op;

-- name: insert_op
-- One provider call.
INSERT INTO op (number, at, account, region, service, operation, object_ids, request_id, duration_s, code, message)
VALUES (:number, :at, :account, :region, :service, :operation, :object_ids, :request_id, :duration_s, :code, :message);

-- name: attribute_op
-- To every process whose objects the call was about.
INSERT INTO op_of_process (fid, number)
SELECT DISTINCT fid, :number FROM object
WHERE object_id IN (SELECT value FROM json_each(:object_ids)) AND fid IS NOT NULL;

-- name: plan
-- One plan by its id.
SELECT document FROM plan WHERE plan_id = :plan_id;

-- name: job
-- One job by its id.
SELECT * FROM job WHERE job_id = :job_id;

-- name: commands_of_process
-- The newest commands in a window, newest first.
SELECT * FROM command
WHERE fid = :fid AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
ORDER BY at DESC, number DESC LIMIT :limit;

-- name: jobs_of_process
-- The newest jobs that began in a window, newest first. Of several that began at one instant, the one that ended last.
SELECT * FROM job
WHERE fid = :fid AND (:start IS NULL OR started_at >= :start) AND (:end IS NULL OR started_at <= :end)
ORDER BY started_at DESC, finished_at IS NULL DESC, finished_at DESC, job_id DESC LIMIT :limit;

-- name: commands_of_request
-- The commands of one API request, oldest first.
SELECT * FROM command WHERE request = :request AND request <> '' ORDER BY number LIMIT :limit;

-- name: jobs_of_request
-- The jobs of one API request, oldest first.
SELECT * FROM job WHERE request = :request AND request <> '' ORDER BY started_at, job_id LIMIT :limit;

-- name: events_of_request
-- The events of one API request: a query of its own, because only so its index is used.
SELECT * FROM event
WHERE request = :request AND request <> '' AND number > :after AND number < COALESCE(:before, 9223372036854775807)
    AND (:fid IS NULL OR fid = :fid)
    AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT :limit;

-- name: ops_of_process
-- The newest provider calls in a window, newest first.
SELECT op.* FROM op_of_process JOIN op USING (number)
WHERE fid = :fid AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
ORDER BY at DESC, number DESC LIMIT :limit;

-- name: events
-- The newest events after a number, newest first. `:types` is a JSON list; an empty one means all.
SELECT * FROM event
WHERE number > :after AND number < COALESCE(:before, 9223372036854775807)
    AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT :limit;

-- name: events_of_process
-- The same for one process: a query of its own, because only so its index is used.
SELECT * FROM event
WHERE fid = :fid AND number > :after AND number < COALESCE(:before, 9223372036854775807)
    AND (:start IS NULL OR at >= :start) AND (:end IS NULL OR at <= :end)
    AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
ORDER BY number DESC LIMIT :limit;
