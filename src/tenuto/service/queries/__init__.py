"""Queries: what people ask about processes. Nothing here changes anything."""
