"""Rules of every store: pure checks of the rows that are stored now."""
