"""Options and groups of commands, in the words that all commands share."""
