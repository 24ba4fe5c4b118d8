"""The phases of the local cloud, by type."""
