"""Objects that requests make: the fields that a request may give, and the claims and relations that follow."""
