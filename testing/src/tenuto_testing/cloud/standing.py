"""Everything in an account of the strict cloud that is there to stay, made by any caller and visible or not yet."""

from collections.abc import Iterator, Sequence

from tenuto_testing.cloud.cloud import HOME_ACCOUNT, Cloud
from tenuto_testing.cloud.world import Data, Place, Thing


def standing(cloud: Cloud, region: str, account: str = HOME_ACCOUNT) -> Iterator[tuple[Place, Thing]]:
    """The things that are not on their way out, in a region and in no region, in the order of kinds and of making."""
    cloud.catch_up()
    for where in (region, "global"):
        place = cloud.place(account, where)
        for table in place.tables():
            yield from ((place, thing) for thing in table.things.values() if not _is_leaving(thing))


def tags_of(thing: Thing) -> Sequence[Data]:
    """Its tags, wherever its kind keeps them."""
    parts = thing.hidden.get("parts") or {}
    return thing.tags() or parts.get("tagging", {}).get("TagSet") or ()


def _is_leaving(thing: Thing) -> bool:
    state = thing.get("State") or thing.get("TableStatus")
    name = state.get("Name") if isinstance(state, dict) else state
    return str(name).lower() in ("deleting", "deleted", "failed", "shutting-down", "terminated")
