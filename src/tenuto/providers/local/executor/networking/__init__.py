"""Networks of a host, the cables of its machines, and the addresses outside."""
