"""Networks: the parts that one host is to hold, and their differences from the state that its kernel shows."""
