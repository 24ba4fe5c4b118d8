"""Phases of one object: which apply in a state, how an entry changes, and how the object walks on."""
