"""Servers: their sockets, certificates and bounds."""
