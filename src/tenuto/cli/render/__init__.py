"""Answers of a Conductor as text for people, and in the forms of CI systems."""
