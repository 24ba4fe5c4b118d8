"""`OpenTypes`: the types of a provider that manages more than it has blocks for.

Theory of operation. A provider may run types of which it knows nothing but a published schema, and there may be
thousands of them. To read them all costs a second and a hundred megabytes, for a Conductor that uses ten. So the facts
of a type are made when it is asked for by name, and kept. To iterate shows the types with a block of their own
alone: code that walks over all types (a list for people, an index, a suggestion) walks over these.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from tenuto.model.ids import TypeName

_Value = TypeVar("_Value")


class OpenTypes(Mapping[TypeName, _Value], Generic[_Value]):
    """A mapping that knows more keys than it lists: `make` gives the value of one, when it is first asked for, or None
    where there is none. `unlisted` are the names of those that are not listed; to call it may take a second.

    Two threads that ask for a name first may each make its value; the values are equal.
    """

    def __init__(
        self,
        listed: Iterable[TypeName],
        make: Callable[[TypeName], _Value | None],
        unlisted: Callable[[], Sequence[TypeName]] = tuple,
    ) -> None:
        self.unlisted = unlisted
        self._listed = dict.fromkeys(listed)
        self._make = make
        self._made: dict[TypeName, _Value | None] = {}

    def __getitem__(self, name: TypeName) -> _Value:
        if name not in self._made:
            self._made[name] = self._make(name)
        found = self._made[name]
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._listed or self.get(TypeName(name)) is not None)

    def __iter__(self) -> Iterator[TypeName]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
