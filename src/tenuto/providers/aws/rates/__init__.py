"""Rates: the number of calls that each API bears, learned from its answers and shared between processes."""
