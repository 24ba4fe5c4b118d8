"""Rules as data: read from documents, asked in CEL, answered with diagnostics."""
