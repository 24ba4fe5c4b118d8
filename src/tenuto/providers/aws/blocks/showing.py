"""The showing of a block's things: the properties, attributes, state, name and tags in an answer of its service.

Theory of operation. No call is made here. A list, a description, and the results of parts and tag calls come in as
values, and an observed item in the words of the schema goes out. Where an answer lacks the name, it is taken from the
physical id; the holders that the id names count as shown, too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition
from tenuto.providers.aws.blocks.calls import State
from tenuto.providers.aws.blocks.ids import parts_in, words_in
from tenuto.providers.aws.blocks.wire import Names, Paths, at, declared
from tenuto.providers.aws.kind import Seen
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.tag_calls import TagCalls


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The words of one type in the answers of its service; its `words` name the parameters of the parts of an id."""

    name: str
    schema: TypeSchema
    words: str
    properties: frozenset[str]
    """The properties that the list and the description show."""
    tags: TagCalls | str | None
    name_property: str
    name_after: str
    """The last of these in a physical id comes before its name; empty where the id is the name."""
    is_name_folded: bool
    """True where names in any case are one: the service keeps them in small letters."""
    renamed: Names
    shown: Paths
    attributes: Paths
    state: State | None
    undeclarable: Callable[[JsonMap], str]
    has_tags_as_mapping: bool
    """True when a composition declares the tags of the type as a mapping, not as a list of keys and values."""

    @property
    def tags_as(self) -> str:
        """The property that declares the tags; empty for a type without, and for one of which they are a part."""
        if self.tags is None:
            return ""
        return self.tags.declared_as if isinstance(self.tags, TagCalls) else "Tags"

    def declared_in(self, answer: JsonMap, names: Iterable[str] | None = None) -> dict[str, Any]:
        """The properties in an answer, as a composition declares them: these, or all that an answer shows."""
        wanted = self.properties if names is None else names
        return declared(answer, self.schema, sorted(wanted), self.renamed, self.shown)

    def property_of(self, word: str) -> str:
        """The property that a call takes as this parameter; the word itself where there is none."""
        folded = word.removesuffix("[]").casefold()
        called = ((one, self.renamed.get(one, one)) for one in sorted(self.schema.properties))
        return next((one for one, name in called if name.casefold() == folded), word)

    def name_of(self, one: str, member: JsonMap) -> str:
        """The name in a member of a list, or in the physical id."""
        name = self.name_property
        shown = self.declared_in(member, [name]) if name else {}
        return str(shown.get(name, one.rpartition(self.name_after)[2] if self.name_after else one))

    def is_named(self, one: str, member: JsonMap, name: str) -> bool:
        """Whether a member of a list is the one that is asked for, by its name or by an id that follows from its
        properties.
        """
        return self.folded(name) in (self.folded(one), self.folded(self.name_of(one, member)))

    def folded(self, name: str) -> str:
        """A name in the form in which it is compared."""
        return name.casefold() if self.is_name_folded else name

    def held_in(self, one: str) -> dict[str, str]:
        """The properties that are parts of an id of several parts."""
        words, parts = [word.casefold() for word in words_in(self.words)], parts_in(self.words, one)
        if len(parts) < 2:
            return {}
        held = dict(zip(words, parts, strict=True))
        called = {name: self.renamed.get(name, name).casefold() for name in sorted(self.properties)}
        return {name: held[word] for name, word in called.items() if word in held}

    def tagged(self, one: str, answer: JsonMap) -> Json:
        """The name of a thing in the calls that read and write tags."""
        name = self.tags.named if isinstance(self.tags, TagCalls) else None
        return one if name is None else name(one, answer)

    def condition(self, answer: JsonMap) -> Condition:
        state = self.state
        if state is None:
            return Condition.READY
        word = str(at(answer, state.at))
        for words, condition in (
            (state.pending, Condition.PENDING),
            (state.going, Condition.GOING),
            (state.gone, Condition.GONE),
            (state.broken, Condition.BROKEN),
        ):
            if word in words.split():
                return condition
        return Condition.READY

    def attributes_of(self, one: str, answer: JsonMap) -> JsonMap:
        """The answers to `Fn::GetAtt`: by the names of the schema, and by the paths of the block, in which `$id` and
        `$name` stand for the physical id and the name."""
        top = sorted(name for name in self.schema.attributes if "." not in name)
        known = declared(answer, self.schema, top, self.renamed, {})
        nested = {
            path: at(known, path)
            for path in sorted(self.schema.attributes)
            if "." in path and path.split(".")[0] in known
        }
        own: JsonMap = {"$id": one, "$name": self.name_of(one, answer)}
        told = {name: own.get(str(path)) or at(answer, path) for name, path in self.attributes.items()}
        return {name: value for name, value in {**known, **nested, **told}.items() if value is not None}

    def seen_anew(self, observed: JsonMap, answer: JsonMap) -> JsonMap:
        """The observation of a thing, with its properties as this answer describes them."""
        kept = {name: value for name, value in observed.items() if name not in self.properties}
        return {**kept, **self.declared_in(answer)}

    def seen(self, one: str, answer: JsonMap, read: JsonMap, lent: Mapping[str, Sequence[Json]] | None = None) -> Seen:
        """A thing as an answer shows it, with the properties and tags that calls of their own have read of it. `lent`
        are members that others declare."""
        own = {name: value for name, value in read.items() if name != self.tags_as}
        named = {self.name_property: self.name_of(one, answer)} if self.name_property else {}
        properties = {**self.held_in(one), **named, **self.declared_in(answer), **own}
        state = self.state
        type_name, item = seen(
            self.name,
            one,
            properties,
            attributes=self.attributes_of(one, answer),
            lent=lent,
            tags=None if self.tags is None else self._tags_in(answer, read),
            condition=self.condition(answer),
            message=str(at(answer, state.reason) or "") if state is not None and state.reason else "",
            undeclarable=self.undeclarable(answer),
        )
        if self.tags is None or (not self.has_tags_as_mapping and self.tags_as == "Tags"):
            return type_name, item
        declared_tags = item.properties["Tags"]
        if self.has_tags_as_mapping:
            declared_tags = {tag["Key"]: tag["Value"] for tag in declared_tags}
        others = {name: value for name, value in item.properties.items() if name != "Tags"}
        return type_name, replace(item, properties={**others, self.tags_as: declared_tags})

    def _tags_in(self, answer: JsonMap, read: JsonMap) -> Any:
        if isinstance(self.tags, str):
            return answer.get("Tags") or answer.get("TagSet") or ()
        if self.tags is not None and self.tags.shown_at:
            return self.tags.shown(answer)
        return read.get(self.tags_as) or ()
