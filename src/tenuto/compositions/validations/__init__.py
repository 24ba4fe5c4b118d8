"""Validations of users: loaded from files, and asked about a composition."""
