"""One call: its parameters, its account, and the acts of a handler on the cloud while it answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tenuto_testing.cloud.ids import is_well_formed
from tenuto_testing.cloud.tags import tags_at_birth
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Horizon, Kind, Place, Thing, View

if TYPE_CHECKING:
    from tenuto_testing.cloud.cloud import Cloud


@dataclass(slots=True, kw_only=True)
class Call:
    """One call, as a handler gets it. `now` is the moment of the call; lists are read as of `now` minus the lag."""

    cloud: "Cloud"
    place: Place
    region: str
    service: str
    action: str
    parameters: Data
    now: float
    request_id: str
    token: str = ""
    """The client token that came with it."""
    caller: str = ""
    """The access key that signed it."""

    @property
    def account(self) -> str:
        return self.place.account

    def want(self, name: str, default: Any = None) -> Any:
        return self.parameters.get(name, default)

    def need(self, name: str) -> Any:
        """A parameter that the service model does not call required, and the service does. Raises Refusal."""
        return needed(self.parameters, name)

    def copied(self, *names: str) -> Data:
        """Those of the parameters that were given."""
        return {name: self.parameters[name] for name in names if self.parameters.get(name) is not None}

    def get(self, kind: Kind, thing_id: str) -> Thing:
        """The thing of an id, if it can be known by now. Raises Refusal: malformed, or not found."""
        thing = self.place.table(kind).things.get(thing_id)
        if thing is None or thing.made_at > self.horizon().new:
            raise unknown(kind, thing_id)
        return thing

    def all(self, kind: Kind, within: str | None = None) -> list[Thing]:
        """The things of a kind as they truly are, perhaps only those within a parent."""
        table = self.place.table(kind)
        return list(table.things.values()) if within is None else table.within(within)

    def seen(self, kind: Kind) -> Iterator[View]:
        """The things of a kind as the caller can see them."""
        return self.place.seen(kind, self.horizon())

    def sight(self, kind: Kind, ids: Sequence[str]) -> list[View]:
        """The things of these ids as the caller can see them. Raises Refusal for the first that cannot be seen."""
        horizon, found = self.horizon(), []
        for thing_id in dict.fromkeys(ids):
            view = self.place.sight(kind, thing_id, horizon)
            if view is None:
                raise unknown(kind, thing_id)
            found.append(view)
        return found

    def horizon(self) -> Horizon:
        return self.cloud.horizon_of(self)

    def new_id(self, prefix: str) -> str:
        return self.cloud.ids.new(prefix, f"{self.account}/{self.region}")

    def make(
        self,
        kind: Kind,
        data: Data,
        *,
        parents: Sequence[str] = (),
        hidden: Mapping[str, Any] | None = None,
        id: str = "",  # noqa: A002 - the id of the thing
        is_asked_for: bool = True,
    ) -> Thing:
        """A new thing with the tags of the request. A thing that comes along with another one was not asked for, and
        has none.

        Raises Refusal for tags that AWS would not take.
        """
        tags = tags_at_birth(self.parameters.get("TagSpecifications") or (), kind.name) if is_asked_for else []
        thing_id = id or self.new_id(kind.prefix)
        shown = {kind.id_name: thing_id, **data, kind.tags_name: tags}
        thing = Thing(kind, thing_id, shown, dict(hidden or {}), self.now, 0)
        return self.place.add(thing, tuple(parents))

    def edit(self, thing: Thing) -> Data:
        return self.place.edit(thing, self.now)

    def remove(self, thing: Thing) -> None:
        self.place.remove(thing, self.now)

    def later(self, seconds: float, act: Callable[["Call"], object]) -> None:
        """Do something when so much of AWS's time has passed, at the earliest before the next call: the answer to this
        one still shows the pending state.
        """
        self.cloud.at(self.now + seconds * self.cloud.pace.times, self, act)


def needed(given: Data, name: str) -> Any:
    """A part of a parameter that must be there, although the service model does not say so. Raises Refusal."""
    value = given.get(name)
    if value is None or value == "":
        raise Refusal("MissingParameter", f"The request must contain the parameter {name[0].lower()}{name[1:]}")
    return value


def unknown(kind: Kind, thing_id: str) -> Refusal:
    """There is no such thing, or no such id at all."""
    noun = kind.noun or f"{kind.name} ID"
    if kind.malformed and not is_well_formed(kind.prefix, thing_id):
        return Refusal(kind.malformed, f'Invalid id: "{thing_id}" (expecting "{kind.prefix}-...")')
    return Refusal(kind.not_found, f"The {noun} '{thing_id}' does not exist")
