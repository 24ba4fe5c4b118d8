"""Providers, as a Conductor asks them: their types, accounts, requests, and the record of calls."""
