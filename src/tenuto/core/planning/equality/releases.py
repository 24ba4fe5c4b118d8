"""Versions of things that a provider keeps up to date: whether the one that runs is the declared one, or came of it by
itself.

A declaration may leave places to the provider (15), and the provider raises the last place when its time has come
(15.4, then 15.5). No service goes back to an older version, so a plan that asked for it could never be done.
"""


def is_release_of(declared: str, shown: str) -> bool:
    """Whether `shown` is the declared version, one with more places, or one with a newer last place. An `x` for the
    last place, as ElastiCache writes it, stands for any."""
    if declared.endswith(".x"):
        return shown.startswith(declared.removesuffix("x"))
    if shown == declared or shown.startswith(f"{declared}."):
        return True
    line, point, last = declared.rpartition(".")
    shown_line, _, shown_last = shown.rpartition(".")
    is_numbered = last.isdecimal() and shown_last.isdecimal()
    return bool(point) and line == shown_line and is_numbered and int(shown_last) >= int(last)
