"""Policies: the YAML text that says who may do what, compiled."""
