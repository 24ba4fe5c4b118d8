"""Demonstrations: a whole Tenuto on this machine, with a story that shows its purpose."""
