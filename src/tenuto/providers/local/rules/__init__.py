"""The rules of the local cloud: pure functions over values."""
