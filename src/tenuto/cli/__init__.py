"""The command line: a client of the HTTP API, and the compiler of compositions.

Each command is a module of its own in `commands/`, imported only when it is called, so that `tenuto --help` answers at
once. Nothing here decides anything about processes: that is the service's work, behind the API.
"""

from tenuto.cli.entry import main

__all__ = ["main"]
