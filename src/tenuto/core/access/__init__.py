"""Access: who may do what, whose account this is, and which texts may be shown."""
