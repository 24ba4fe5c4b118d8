"""The routing of a namespace that is Tenuto's: rules that choose a table of routes, and neighbours set by hand.

A namespace has the three rules with which the kernel makes it, and no neighbour that was set. Any other rule or
neighbour sends packets elsewhere, and none of the routes shows it.
"""

from collections.abc import Iterator, Set

ROUTING_RULES = frozenset({("0", "lookup local"), ("32766", "lookup main"), ("32767", "lookup default")})
"""The rules of a namespace, by their preference."""


def routing_rules(shown: Set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The differences of rules: for each a text for people, and the line of `ip` that sets it right."""
    for preference, chosen in sorted(shown - ROUTING_RULES):
        yield f"rule {preference} of its routing ({chosen}) was added", f"rule delete pref {preference}"
    for preference, chosen in sorted(ROUTING_RULES - shown):
        yield f"rule {preference} of its routing ({chosen}) is missing", f"rule add pref {preference} {chosen}"


def added_neighbours(shown: Set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The neighbours that were set by hand: for each a text for people, and the line of `ip` that sets it right."""
    for address, link in sorted(shown):
        yield f"neighbour {address} on {link} was set", f"neighbour delete {address} dev {link}"
