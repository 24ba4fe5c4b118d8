"""A call takes what a composition declares: every member that a schema has is a member of the call's own model, of the
same form. The blocks pair the two by name; where the names or the forms differ, a block must say so.

A list that a call takes as a mapping, or a member that it calls otherwise, would be refused by the SDK, in the account
of the first person who declares it.
"""

from collections.abc import Iterator

import botocore.session
import pytest
from botocore.model import Shape

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.model.ids import JsonMap, TypeName
from tenuto.providers.aws.blocks.acts import BlockActs
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.wire import Names, spelled_in, word_of
from tenuto.providers.aws.types.catalogue import BLOCKS

SESSION = botocore.session.get_session()
DEEPEST = 8
UNTAKEN = {
    "AWS::Batch::ComputeEnvironment": "ComputeResources.UpdateToLatestImageVersion",
    "AWS::KinesisFirehose::DeliveryStream": "DatabaseSourceConfiguration.Digest "
    "DatabaseSourceConfiguration.PublicCertificate",
}
"""The members that no call takes, and that a composition may name all the same: the SDK refuses them by name."""


def acts_of(name: TypeName) -> BlockActs | None:
    found = getattr(BLOCKS[name].create, "__self__", None)
    return found if isinstance(found, BlockActs) else None


TYPES = sorted(name for name in BLOCKS if acts_of(name) is not None)


def strange(schema: TypeSchema, rule: JsonMap, shape: Shape, names: Names, path: str) -> Iterator[str]:
    """The paths at and below this one whose form a shape does not have. A text takes any document."""
    rule = follow(rule, schema.document)
    kinds = rule.get("type")
    kind = shape.type_name
    if path.count(".") > DEEPEST or kind == "string" or path in schema.read_only:
        return
    if "array" in (kinds if isinstance(kinds, list) else [kinds]):
        if kind == "list":
            yield from strange(schema, rule.get("items") or {}, shape.member, names, path)
        else:
            yield path
    elif rule.get("properties"):
        if kind != "structure":
            yield path
            return
        for name, inner in rule["properties"].items():
            place = f"{path}.{name}"
            word = word_of(spelled_in(shape.members), name, names, place)
            if word in shape.members:
                yield from strange(schema, inner, shape.members[word], names, place)
            elif place not in schema.read_only:
                yield place


def untaken(acts: BlockActs, call: Call, properties: frozenset[str]) -> Iterator[str]:
    """The paths of properties that a call takes in another form than they are declared in."""
    reader = acts.reader
    shape: Shape = SESSION.get_service_model(reader.service).operation_model(call.operation).input_shape
    shape = shape.members[call.within] if call.within else shape
    names, schema = {**reader.showing.renamed, **call.renamed}, reader.showing.schema
    for name in sorted(properties - acts.sent_as.keys()):
        word, _, rest = word_of(spelled_in(shape.members), name, names, name).partition(".")
        if word in shape.members:
            member = shape.members[word]
            rule = schema.document["properties"][name]
            if not rest:
                yield from strange(schema, rule, member, names, name)
            elif rest in member.members:
                yield from strange(schema, rule, member.members[rest], names, name)


@pytest.mark.parametrize("name", TYPES)
def test_calls_take_what_is_declared(name: TypeName) -> None:
    acts, refused = acts_of(name), BLOCKS[name].facts.refused
    assert acts is not None
    schema = acts.reader.showing.schema
    in_parts = frozenset[str]().union(*(part.properties for part in acts.reader.parts))
    whole = schema.properties - schema.read_only - in_parts - refused.keys() - {acts.reader.showing.tags_as}
    found = {*untaken(acts, acts.create, whole)}
    # A call that changes a thing is given nothing of what is settled when it is made.
    for update in acts.updates:
        if not update.call.patched_as:
            found |= {*untaken(acts, update.call, update.properties)} - acts.settled
    told = {path for path in found if not any(f"{path}.".startswith(f"{one}.") for one in refused)}
    assert told == {*UNTAKEN.get(name, "").split()}
