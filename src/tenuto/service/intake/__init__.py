"""The intake of compositions: the checks that each one passes before a process may run it."""
