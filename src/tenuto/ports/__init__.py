"""What the inside needs from the outside, as small Protocols with a contract in prose."""
