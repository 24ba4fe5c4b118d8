"""The store in SQLite, in a file or in memory."""
