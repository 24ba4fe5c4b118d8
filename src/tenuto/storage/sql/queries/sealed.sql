-- name: sealed_values
-- All that is sealed: NoEcho values of live processes, external ids of accounts, addresses and keys of sinks.
SELECT 'process ' || COALESCE(process.alias, process.fid) AS owner, value.value AS text
FROM process JOIN process_document USING (fid) JOIN json_each(process_document.sealed) AS value
WHERE process.state <> 'Gone' AND process_document.sealed <> '{}'
UNION ALL
SELECT 'account ' || key, json_extract(document, '$.access.external_id') FROM record
WHERE kind = 'account' AND json_extract(document, '$.access.external_id') IS NOT NULL
UNION ALL
SELECT 'notification ' || record.key, value.value
FROM record JOIN json_each(record.document) AS value
WHERE record.kind = 'sink' AND value.key IN ('address', 'key') AND value.value <> ''
    AND json_extract(record.document, '$.kind') = 'webhook';
