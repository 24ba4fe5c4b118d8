"""Networks: what one host is to hold of them, and how that differs from what its kernel shows."""
