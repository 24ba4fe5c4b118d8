"""Text to tree, with the place of every node: YAML, JSON, and files of other tools told apart."""
