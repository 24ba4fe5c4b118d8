"""The drivers of the local cloud."""
