"""The store as everything of a Conductor uses it: two faces around it."""
