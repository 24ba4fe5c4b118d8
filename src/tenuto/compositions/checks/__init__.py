"""Checks of the declared resources against their types, as providers publish them."""
