"""Canonical documents: the only form in which a composition reaches the Conductor."""
