-- name: sealed_values
-- All that is sealed: NoEcho values of live processes, external ids of accounts, addresses and keys of sinks.
SELECT 'process ' || COALESCE(process.alias, process.fid) AS owner, value.value AS text
FROM process JOIN process_document USING (fid) JOIN json_each(process_document.sealed) AS value
WHERE process.state <> 'Gone' AND process_document.sealed <> '{}'
UNION ALL
SELECT 'account ' || name, external_id FROM account WHERE external_id IS NOT NULL
UNION ALL
SELECT 'notification ' || sink.name, value.value
FROM sink JOIN json_each(sink.document) AS value
WHERE value.key IN ('address', 'key') AND value.value <> '' AND json_extract(sink.document, '$.kind') = 'webhook';
