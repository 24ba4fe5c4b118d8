-- name: save_delivery
-- A delivery as it is now.
INSERT INTO delivery (sink, number, event_id, document, tries, next_at, last_error, died_at)
VALUES (:sink, :number, :event_id, :document, :tries, :next_at, :last_error, :died_at)
ON CONFLICT (sink, number) DO UPDATE SET
    event_id = excluded.event_id, document = excluded.document, tries = excluded.tries, next_at = excluded.next_at,
    last_error = excluded.last_error, died_at = excluded.died_at;

-- name: remove_deliveries
-- Everything for a sink that was removed.
DELETE FROM delivery WHERE sink = :sink;

-- name: remove_delivery
-- One that has arrived.
DELETE FROM delivery WHERE sink = :sink AND number = :number;

-- name: waiting_deliveries
-- What a sink is still to be told, by the next try.
SELECT * FROM delivery WHERE sink = :sink AND died_at IS NULL ORDER BY next_at, number LIMIT :limit;

-- name: dead_deliveries
-- What was given up, oldest event first.
SELECT * FROM delivery WHERE sink = :sink AND died_at IS NOT NULL ORDER BY number LIMIT :limit;

-- name: backlogs
-- How much is kept for each sink, and the last error of its oldest waiting delivery that failed since it was (re)made.
SELECT sink, sum(died_at IS NULL) AS waiting, sum(died_at IS NOT NULL) AS dead,
    (SELECT failed.last_error FROM delivery AS failed
     WHERE failed.sink = delivery.sink AND failed.died_at IS NULL AND failed.tries > 0
     ORDER BY failed.number LIMIT 1) AS last_error
FROM delivery GROUP BY sink;

-- name: events_after
-- The oldest events with a higher number.
SELECT * FROM event WHERE number > :number ORDER BY number LIMIT :limit;

-- name: last_event
-- The newest event.
SELECT number FROM event ORDER BY number DESC LIMIT 1;
