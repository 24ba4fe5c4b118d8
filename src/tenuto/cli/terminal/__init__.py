"""One call at a terminal: how it speaks, in which form, and how it ends."""
