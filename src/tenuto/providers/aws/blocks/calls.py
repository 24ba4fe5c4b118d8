"""The calls of a block as data: which operation, how the thing is named in it, and which properties it takes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from botocore.loaders import Loader

from tenuto.errors import BugError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.ids import ID, parts_in, words_in
from tenuto.providers.aws.blocks.wire import Path, at
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import Paging


@dataclass(frozen=True, slots=True)
class Call:
    """One operation about one thing. `key` names its parameters for the parts of the physical id, in words; a word with
    `[]` takes a list, one with `=` is a filter of EC2, and `-` stands for a part that the call does not take. Where the
    id is an ARN, the key is its path with these words in it (`words_in`). Empty stands for the key of the block.

    `renamed` are properties that it alone calls otherwise. `patched_as` is the parameter of a call that takes
    operations of a patch instead of properties (`blocks.patches`), and `paths` are those that it spells otherwise than
    its answer does. `fills` is for an update that resets the properties that it is not given: of the declared ones and
    of those that the description shows by then, it gives those that are sent besides, and the tags go along. `within`
    is the parameter that holds everything that is said of the thing, its name too. `drop` is the operation that takes
    away the properties that the call sets, when none of them is declared any more. `emptied` are properties that map
    names to texts, of which the call takes a name away where its text is empty, and keeps one that it is not told.
    """

    operation: str
    key: str = ""
    fixed: JsonMap = field(default_factory=dict, hash=False)
    renamed: Mapping[str, str] = field(default_factory=dict, hash=False)
    patched_as: str = ""
    paths: Mapping[str, str] = field(default_factory=dict, hash=False)
    fills: Callable[[JsonMap, JsonMap], JsonMap] | None = None
    within: str = ""
    drop: str = ""
    emptied: str = ""

    def fits(self, words: str, physical_id: str) -> bool:
        """Whether a text has the form of an id: as many parts as there are parameters."""
        return bool(parts_in(self.key or words, physical_id))

    def about(self, words: str, physical_id: str) -> dict[str, Json]:
        """The parameters that name the thing. Raises BugError for a text that does not fit."""
        names, parts = words_in(self.key or words), parts_in(self.key or words, physical_id)
        if not parts:
            raise BugError(f"{self.operation} is about {' '.join(names)}, and the id is {physical_id}")
        pairs = zip(names, parts, strict=True)
        named: dict[str, Json] = {}
        for name, part in pairs:
            if name.endswith("="):
                named.setdefault("Filters", []).append({"Name": name[:-1], "Values": [part]})
            elif name != "-":
                named[name.removesuffix("[]")] = [part] if name.endswith("[]") else part
        return {**self.fixed, **(named if not self.within else {self.within: named})}

    def joined(self, about: JsonMap, given: JsonMap) -> dict[str, Json]:
        """The parameters that name the thing, and those that say something of it."""
        if not self.within:
            return {**about, **given}
        return {**about, **given, self.within: {**about[self.within], **given[self.within]}}


def undeclared(declared: JsonMap, shown: JsonMap) -> JsonMap:
    """The part of a description that is not declared, to be sent again as it is."""
    return {name: value for name, value in shown.items() if name not in declared}


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A call that changes some properties of a thing; all those of them that are declared are sent with it.

    `beside` are properties that it needs as well, and that it does not change.
    """

    call: Call
    properties: frozenset[str]
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a thing, as a word at a path of an answer. A word that is in none of the lists stands for ready."""

    at: str
    pending: str = ""
    going: str = ""
    gone: str = ""
    broken: str = ""
    reason: str = ""
    """The path of the provider's reason for the state."""
    ends_at_once: bool = False
    """True when nothing waits for the end of a deletion that was accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A bulk list. `id` is the path of the physical id in each member, or of its parts, in words; or a function. A word
    with `$` is a parameter of the list, for a part of the id that no member shows.

    `by_id` is EC2's filter for physical ids, `by_name` the parameter that narrows the list to one name (with `[]` where
    it takes several). `given` are parameters that properties of a request give: such a list shows the things that stand
    beside a thing, and no sweep reads it unless it `is_swept`.
    """

    operation: str
    id: str | Callable[[Json], Json]
    each: Path = ""
    """The path of the things in a member, where a member of the list is not a thing."""
    size: int = 0
    by_id: str = ""
    filters_as: str = "Filters"
    by_name: str = ""
    fixed: JsonMap = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    is_swept: bool = False
    """True when a sweep reads such a list for each of the things that hold the tracked ones, and nothing describes one.
    The parameters are then parts of the physical id."""
    may_lack: bool = False
    """True when the service leaves an empty list out of its answer."""
    members: str = ""
    """The member of the answer that holds the list, when the SDK tells of several or of none."""
    next_page: str = "NextToken NextToken"
    """The parameter for the next page and its place in an answer, in words, when the SDK tells of no pages."""

    def parts_of(self, member: Json, given: JsonMap) -> list[Json]:
        """The parts of the physical id of a member of the list that these parameters gave."""
        if not isinstance(self.id, str):
            return [at(member, self.id)]
        return [given.get(path[1:]) if path.startswith("$") else at(member, path) for path in self.id.split()]

    def things_in(self, members: Iterable[JsonMap], given: JsonMap) -> dict[str, JsonMap]:
        """The things in the members of the list that these parameters gave, by id."""
        found: dict[str, JsonMap] = {}
        for member in members:
            for one in at(member, self.each) if self.each else [member]:
                parts = self.parts_of(one, given)
                if all(part is not None for part in parts):
                    found[ID.join(map(str, parts))] = one if isinstance(one, Mapping) else {}
        return found

    def about(self, name: str) -> dict[str, Json]:
        """The parameter that narrows the list to a name."""
        word = self.by_name.removesuffix("[]")
        return {word: name if word == self.by_name else [name]}

    def paging(self, service: str, *, is_narrowed: bool = False) -> Paging:
        """The paging of the list, as the SDK's own model has it. A list that is narrowed to ids takes no size of a
        page."""
        pages = _pagination(service).get(self.operation, {})
        keys = pages.get("result_key", "")
        members = self.members or (keys if isinstance(keys, str) else keys[0])
        if not members:
            raise BugError(f"{service} {self.operation}: the block must say where the answer holds the list")
        token_in, token_out = self.next_page.split()
        return Paging(
            service=service,
            operation=self.operation,
            members=members,
            token_in=_first(pages.get("input_token", token_in)),
            token_out=_first(pages.get("output_token", token_out)),
            size_name=str(pages.get("limit_key", "")) if self.size else "",
            page_size=0 if is_narrowed else self.size,
            leaves_out_empty=self.may_lack,
        )


def _first(word: str | list[str]) -> str:
    return word if isinstance(word, str) else word[0]


@lru_cache(maxsize=64)
def _pagination(service: str) -> Mapping[str, JsonMap]:
    found: Mapping[str, JsonMap] = Loader().load_service_model(service, "paginators-1")["pagination"]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The call that shows one thing with all that the list does not show. `at` is the path of the thing in the answer,
    and `gone_at` the path of the value that an answer without it has in its place.

    A thing that is described `anew` is asked for at every sweep: its state is in the answer, or the list shows things
    that are gone. Otherwise it is read in turns, like everything that costs a call for each thing.
    """

    call: Call
    at: Path = ""
    gone_at: str = ""
    chosen_by: str = ""
    """The member by which the thing is told from others in the answer, where the call takes the beginning of a name, or
    its endpoint may not heed the name: it must be the last part of the physical id. Then `at` is the path of a list."""
    anew: bool = False

    def thing_in(self, answer: JsonMap, physical_id: str, service: str) -> JsonMap | None:
        """The thing in an answer about it; None where the answer says that there is none. Raises TransientError for an
        answer that says neither."""
        found = at(answer, self.at)
        if self.chosen_by:
            name = physical_id.rpartition(ID)[2]
            found = next((one for one in found or () if one.get(self.chosen_by) == name), None)
        if found is None and self.gone_at and at(answer, self.gone_at):
            return None
        if not isinstance(found, Mapping):
            raise faults.not_of_aws(f"{service} {self.call.operation}")
        return found
