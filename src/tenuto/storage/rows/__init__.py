"""Rows, the named queries, and the values that rows hold."""
