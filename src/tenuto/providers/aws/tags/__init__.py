"""Ownership tags: written, read in bulk, and compared before a thing is adopted."""
