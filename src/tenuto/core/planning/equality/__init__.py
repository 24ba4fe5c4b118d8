"""Equality by meaning: whether two values, texts or programs say the same, in any spelling."""
