"""Machines: their parts, their placement, and their operations."""
