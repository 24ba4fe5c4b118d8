"""Declared things that bear on each other, judged when all are known."""
