"""Intrinsic functions, folded as far as values are known, and the names that they use."""
