"""Hypothesis profiles: the same number of examples everywhere, seeds printed, no deadline on shared machines."""

from hypothesis import settings

settings.register_profile("tenuto", deadline=None, print_blob=True, derandomize=False)
settings.load_profile("tenuto")
