"""One template of a composition, and those that it nests."""
