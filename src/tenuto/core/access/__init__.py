"""Access: the rights of users, the identity of accounts, and the masking of secret texts."""
