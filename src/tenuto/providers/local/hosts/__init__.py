"""The hosts of a zone, as their Conductor commands them."""
