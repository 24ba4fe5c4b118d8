-- The real things that a command gave to resources of a process, by logical id: the next plan adopts them. It changes by
-- command, and is emptied by the job that finds nothing left to do.
ALTER TABLE process_document ADD COLUMN adopting TEXT NOT NULL DEFAULT '{}';
