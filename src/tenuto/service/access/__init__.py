"""The right to ask: secrets, tokens, sessions, policies, quotas, and the audit of the requests."""
