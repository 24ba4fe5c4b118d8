"""Policies: the YAML text that gives users their rights, compiled."""
