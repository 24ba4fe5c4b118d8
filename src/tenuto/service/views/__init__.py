"""Views: the stored state, as people and programs see it. Pure functions from values to documents."""
