"""Accounts: where processes and objects live, namespaces among them, and who sees across them."""
