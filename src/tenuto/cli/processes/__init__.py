"""A command to a process, from the plan that is shown to the end that is waited for."""
