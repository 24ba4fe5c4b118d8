"""A database file: opened, locked, copied, inspected, and the keys beside it."""
