"""Machines: what they are made of, where they are placed, and what can be asked of them."""
