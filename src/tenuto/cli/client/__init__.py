"""Requests to a Conductor, and the secret that they carry."""
