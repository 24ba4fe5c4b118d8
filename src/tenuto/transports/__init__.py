"""Transports of notifications: one module for each kind of sink that is no provider's own."""
