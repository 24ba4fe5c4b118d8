"""JSON Schemas (2020-12) of the files that people write, for editors that complete and check them while typing."""
