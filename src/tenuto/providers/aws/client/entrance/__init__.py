"""The way into an account: sessions, credentials and connections."""
