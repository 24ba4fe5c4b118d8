"""The words for things that carry marks and are not known. The command line needs them, and nothing of the planner."""


def unknown_text(count: int) -> str:
    """Return how many things carry the marks of a process and are not known."""
    verb = "1 real thing carries" if count == 1 else f"{count} real things carry"
    return f"{verb} the marks of this process and the database does not know {'it' if count == 1 else 'them'}."
