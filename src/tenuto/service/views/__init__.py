"""Views: what is stored, as people and programs see it. Pure functions from values to documents."""
