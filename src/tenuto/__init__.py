"""Tenuto runs infrastructure the way an operating system runs programs."""

__version__ = "0.1.0"
