"""Rules of every store: pure checks of what is stored now."""
