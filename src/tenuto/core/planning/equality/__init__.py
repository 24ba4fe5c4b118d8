"""Equality by meaning: whether two values, texts or programs say the same, whatever their spelling."""
