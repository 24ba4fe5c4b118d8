"""Conductors among each other and in time: the lease, their nodes, and the clock."""
