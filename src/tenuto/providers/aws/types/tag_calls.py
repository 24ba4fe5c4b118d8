"""The tags of services other than EC2: each has calls of its own, which differ in names and shapes and in nothing else.

A service takes tags as a list of `Key` and `Value`, or as a mapping; here they are always a list.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Request
from tenuto.providers.aws.blocks.wire import Path, at
from tenuto.providers.aws.client.answers.details import Read
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, birth_tags, tag_change
from tenuto.providers.aws.kind import Marks, Work
from tenuto.providers.aws.tags.marking import are_ours


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCalls:
    """The three calls of one service, and how a thing is named in them."""

    service: str
    list_call: str = "ListTagsForResource"
    put_call: str = "TagResource"
    remove_call: str = "UntagResource"
    id_name: str
    identify: Callable[[Work], Json] = lambda work: work.id
    named: Callable[[str, JsonMap], Json] | None = None
    """The name of a thing in the calls, from its id and the answer that was read of it, where it is not the id."""
    fixed: JsonMap = field(default_factory=dict)
    """Parameters that every one of the calls has."""
    shown_at: str = ""
    """The path of the tags in the answer that lists or describes the thing: then no sweep asks for them."""
    listed_as: Path = "Tags"
    """The path of the tags in the answer."""
    given_as: str = "Tags"
    keys_as: str = "TagKeys"
    takes_members: bool = False
    """True when the call that removes tags takes members with keys, and not keys."""
    is_mapping: bool = False
    declared_as: str = "Tags"
    """The property that declares the tags."""
    key_as: str = "Key"
    value_as: str = "Value"

    def at_birth(self, work: Work) -> dict[str, Json]:
        """All tags of a new thing as a parameter of its creation."""
        return {self.given_as: self._shaped(birth_tags(self._as_tags(work.request)))}

    def give(self, work: Work) -> None:
        """Put all tags on a thing that was made without them."""
        self._put(work, birth_tags(self._as_tags(work.request)))

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        """The tags of one thing. Raises ProviderError, also when it is gone."""
        wanted = {**self.fixed, **self._about(identifier)}
        found: list[JsonMap] = []
        while True:
            answer = client.read(self.service, self.list_call, **wanted)
            tags = at(answer, self.listed_as)
            found += self._listed(tags)
            if not answer.get("NextToken"):
                return found
            wanted["NextToken"] = answer["NextToken"]

    def shown(self, answer: JsonMap) -> list[JsonMap]:
        """The tags in the answer that lists or describes a thing."""
        return self._listed(at(answer, self.shown_at))

    def details(self, client: AccountClient, identify: Callable[[str], Json] = str) -> Read:
        """Return the reading for `Scope.details`, where nothing but the tags costs a call for each thing."""

        def read(asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
            found = client.each_there(lambda one: self.read(client, identify(one)), asked)
            return {one: {"Tags": tags} for one, tags in found.items()}

        return read

    def repair(self, work: Work) -> None:
        """Give the thing the declared tags."""
        change = tag_change(self._as_tags(work.request).properties, work.seen(self.declared_as))
        if change.put:
            self._put(work, [{"Key": key, "Value": value} for key, value in change.put])
        if change.remove:
            self._remove(work, change.remove)

    @property
    def marks(self) -> Marks:
        """The work on the ownership marks of an existing thing: written on it, and taken off where they are these very
        ones.
        """

        def remove(work: Work, tags: Sequence[Tag]) -> None:
            if are_ours(work, self.read(work.client, self.identify(work))):
                self._remove(work, [tag["Key"] for tag in tags])

        return Marks(
            put=self._put,
            remove=remove,
            put_by=f"{self.service}:{self.put_call}",
            removed_by=f"{self.service}:{self.remove_call}",
        )

    def _as_tags(self, request: Request) -> Request:
        """The request with its declared tags under the name that most types have for them."""
        if self.declared_as == "Tags":
            return request
        return replace(request, properties={**request.properties, "Tags": request.properties.get(self.declared_as)})

    def _put(self, work: Work, tags: Sequence[Tag]) -> None:
        where = {**self.fixed, **self._about(self.identify(work))}
        work.change(self.service, self.put_call, **where, **{self.given_as: self._shaped(tags)})

    def _remove(self, work: Work, keys: Sequence[str]) -> None:
        where = {**self.fixed, **self._about(self.identify(work))}
        given = [{self.key_as: key} for key in keys] if self.takes_members else list(keys)
        work.change(self.service, self.remove_call, **where, **{self.keys_as: given})

    def _about(self, identifier: Json) -> dict[str, Json]:
        """The parameter that names the thing; one that ends in `[]` takes a list."""
        name = self.id_name.removesuffix("[]")
        return {name: identifier if name == self.id_name else [identifier]}

    def _shaped(self, tags: Sequence[Tag]) -> Json:
        if self.is_mapping:
            return {tag["Key"]: tag["Value"] for tag in tags}
        return [{self.key_as: tag["Key"], self.value_as: tag["Value"]} for tag in tags]

    def _listed(self, tags: Json) -> list[JsonMap]:
        if self.is_mapping:
            return [{"Key": key, "Value": tags[key]} for key in sorted(tags or ())]
        return [{"Key": tag[self.key_as], "Value": tag.get(self.value_as, "")} for tag in tags or ()]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ByArn(TagCalls):
    """The tag calls of a service that wants an ARN which nothing shows."""

    arn_of: Callable[[AccountClient, str], str]

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        return TagCalls.read(self, client, self.arn_of(client, str(identifier)))


def tags_by_arn(service: str, place: Callable[[str], str], **calls: Any) -> TagCalls:
    """The tag calls of a service that wants an ARN which nothing shows. `place` is the last part of it, by the id."""

    def arn_of(client: AccountClient, one: str) -> str:
        if one.startswith("arn:"):
            return one
        region = client.partition.region
        account = client.read("sts", "GetCallerIdentity")["Account"]
        return f"arn:{aws_partition(region).name}:{service}:{region}:{account}:{place(one)}"

    return _ByArn(service=service, arn_of=arn_of, identify=lambda work: arn_of(work.client, str(work.id)), **calls)


def tags_in_small_words(service: str, arn: str = "") -> TagCalls:
    """The calls of a service that knows things by their ARNs and begins every word with a small letter. `arn` is where
    an answer shows the ARN; empty where the id is one."""
    return TagCalls(
        service=service,
        id_name="resourceArn",
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        key_as="key",
        value_as="value",
        named=(lambda _, shown: shown[arn]) if arn else None,
    )
