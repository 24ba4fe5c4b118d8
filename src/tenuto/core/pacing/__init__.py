"""Pacing: when a process is due, how fast calls may follow each other, and how long to wait or to keep."""
