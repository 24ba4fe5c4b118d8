"""One module per command, each with a `command`; imported when the command is called."""
