"""Objects that requests make instead of compositions, the hosts among them."""
