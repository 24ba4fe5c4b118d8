"""Queries: the questions of people about processes. Nothing here changes anything."""
