"""The sections of a template, one reader for each."""
