"""The intake of compositions: what each one passes before a process may run it."""
