-- name: sealed_values
-- All that is sealed: NoEcho values of live processes, secret settings of accounts, addresses and keys of sinks.
SELECT 'process ' || COALESCE(process.alias, process.fid) AS owner, value.value AS text
FROM process JOIN process_document USING (fid) JOIN json_each(process_document.sealed) AS value
WHERE process.state <> 'Gone' AND process_document.sealed <> '{}'
UNION ALL
SELECT 'account ' || record.key, value.value
FROM record JOIN json_each(record.document, '$.secrets') AS value
WHERE record.kind = 'account'
UNION ALL
SELECT 'notification ' || record.key, value.value
FROM record JOIN json_each(record.document) AS value
WHERE record.kind = 'sink' AND value.key IN ('address', 'key') AND value.value <> ''
    AND json_extract(record.document, '$.kind') = 'webhook';
