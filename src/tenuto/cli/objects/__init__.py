"""The commands by type of object, made of one table."""
