"""Rates: what each API bears, learned from its answers and shared between processes."""
