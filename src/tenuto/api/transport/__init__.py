"""Connections, bodies and streams, within their bounds."""
