"""Things that stand already without a process: described, adopted, or let go by another tool."""
