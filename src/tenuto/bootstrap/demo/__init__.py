"""Demonstrations: a whole Tenuto on this machine, with a story that shows what it is for."""
