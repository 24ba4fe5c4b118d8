"""The kernel of a host: its facts, its programs and processes, asked or called without a shell."""
