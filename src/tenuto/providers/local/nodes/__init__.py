"""Hosts as node objects: watched, given up when they are lost, and kept by people's commands."""
