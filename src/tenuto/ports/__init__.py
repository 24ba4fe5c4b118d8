"""The ports: the inside's needs of the outside, as small Protocols with a contract in prose."""
