"""Observing: the reflector sweeps accounts in bulk and remembers what the provider showed."""
