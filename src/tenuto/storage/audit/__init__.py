"""Audit logs outside of the store."""
