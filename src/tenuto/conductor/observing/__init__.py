"""Observing: the reflector sweeps accounts in bulk and remembers the things that the provider showed."""
