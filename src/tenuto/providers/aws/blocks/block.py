"""`block`: one AWS resource type, declared as data.

Theory of operation. A type is a list, perhaps a description of each thing, and calls that create, change and delete.
AWS publishes the rest: the properties and when they can change (the schema of the type), and the parameters and answers
of a call (the model of the service). So a block names the calls, the id, and the names that the two spell differently;
here the schema, the model and the block become an `AwsType` like any that is written by hand.

*Seen* (`reading`): the list shows everything; of the tracked things the description, the parts and the tags are read
besides. *Made* (`acts`): all declared properties that the creating call takes go with it, and all others are changed in
place right afterwards. *Changed*: each update of which a property differs is called with all of its properties.
*Deleted*: the parts that hold the thing go first; a thing with states is gone when it is not shown any more.

A type that needs more than that (steps that wait for each other, calls that exclude each other) stays code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import Calls, MemberCalls
from tenuto.model.resource import MAY_BE_ABSENT, Comparison, Rule
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.acts import BlockActs
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State, Update
from tenuto.providers.aws.blocks.ids import ID, words_in
from tenuto.providers.aws.blocks.parts import Part
from tenuto.providers.aws.blocks.reading import BlockReader
from tenuto.providers.aws.blocks.showing import Showing
from tenuto.providers.aws.blocks.wire import Names, Paths
from tenuto.providers.aws.client.owner import TAGS_OF_SERVICES
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.question import Question
from tenuto.providers.aws.types.facts import calls, each_word, facts, published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.schema_places import documents, whole_maps, zeros
from tenuto.providers.aws.types.tag_calls import TagCalls

_REST = "*"
"""In place of the properties of an update: all that can change in place, and are no part's and no other update's."""


def block(
    name: str,
    service: str,
    *,
    key: str,
    implied: JsonMap | None = None,
    create: str | Call,
    delete: str | Call,
    listed: Listed | None = None,
    described: Described | None = None,
    looked_up: Described | None = None,
    beside: Listed | None = None,
    asked: Call | None = None,
    modify: Mapping[str | Call, str] | None = None,
    parts: Sequence[Part] = (),
    tags: TagCalls | str | None = None,
    named: Named | None = None,
    name_after: str = "",
    asks_first: bool = False,
    spares: str = "",
    parting: Callable[[Work], JsonMap] = lambda _: {},
    token: str = "",
    token_at: str = "",
    made: str = "",
    renamed: Names | None = None,
    sent_as: Mapping[str, Callable[[Json], Json]] | None = None,
    shown: Paths | None = None,
    attributes: Paths | None = None,
    state: State | None = None,
    undeclarable: Callable[[JsonMap], str] = lambda _: "",
    refused: Mapping[str, str] | None = None,
    shows: str = "",
    born: JsonMap | None = None,
    compare_as: Mapping[str, Rule] | None = None,
    exclusive: Iterable[tuple[str, ...]] = (),
    **more: Any,
) -> AwsType:
    """A type of AWS. Raises BugError for a type without a schema.

    `key` names the parameters that say which thing a call is about, in words, one for each part of the physical id, or
    as the path of an ARN that is the id (`calls.words_in`); `implied` are the parts that need not be declared. `made`
    is the path of the new id in the answer to the creation, or of each part of it (one that the answer lacks is a
    parameter of the call); without it the id follows from the parameters that were sent. `modify` has, by call, the
    words of the properties that it changes, after `+` those that it needs besides. `born` are the values of properties
    that the creation does not take, `token` is the parameter of its idempotency token.

    A declared property may have another name or place in a call or an answer: `renamed` (declared to called), `shown`
    and `attributes` (declared to the path of an answer). `sent_as` makes the value that a call takes of a declared one,
    and `shows` are write-only properties that an answer shows.

    A lost creation is looked up by name: `looked_up` answers a name with the id, `name_after` stands in an id before
    its name. Without a name it is looked up in the list `beside`, or in the list of all, by the token of its creation
    that each member shows at the path `token_at`. `asks_first` is for services that answer the creation of a thing that
    is there already like any other. `parting` gives parameters of the deletion that depend on the request. `spares` is
    the path of the value that says that a thing cannot be deleted, and goes by itself. `asked` is the question after
    one thing by its id, where that is not the describing call. `more` are facts that no schema says (`types.facts`).
    """
    schema, refused = published(name), each_word(refused or {})
    tags_as = tags.declared_as if isinstance(tags, TagCalls) else "Tags"
    in_parts = frozenset[str]().union(*(part.properties for part in parts))
    written = schema.properties - schema.read_only - refused.keys() - in_parts - {tags_as}
    settled = schema.create_only | {*str(more.get("create_only", "")).split()}
    fixed = {path for path in settled if "." not in path}
    updates = _updates(modify or {}, written - (fixed - {*str(more.get("in_place", "")).split()}))
    showing = Showing(
        name=name,
        schema=schema,
        words=key,
        properties=written - (schema.write_only - {*shows.split()}),
        tags=tags,
        name_property=named.property if named else "",
        name_after=name_after,
        is_name_folded=named is not None and (compare_as or {}).get(named.property) is Comparison.FOLDED,
        renamed=renamed or {},
        shown=shown or {},
        attributes=attributes or {},
        state=state,
        undeclarable=undeclarable,
        has_tags_as_mapping=tags is not None and _are_mapping(schema, tags_as),
    )
    reader = BlockReader(
        service=service,
        showing=showing,
        listed=listed,
        held=beside if beside is not None and beside.is_swept else None,
        described=described,
        looked_up=looked_up,
        asked=asked,
        parts=tuple(parts),
    )
    if showing.has_tags_as_mapping:
        more.setdefault("when_absent", {tags_as: {}})
        compare_as = {tags_as: Documents(), **(compare_as or {})}
    elif tags_as != "Tags":
        more.setdefault("when_absent", {tags_as: []})
        compare_as = {tags_as: Comparison.SET, **(compare_as or {})}
    if tags is not None:
        more["of_services"] = {tags_as: TAGS_OF_SERVICES, **more.get("of_services", {})}
    known = [part.defaults for part in parts] + [dict.fromkeys(one.properties) for one in updates if one.call.drop]
    own = {path: value for some in known for path, value in some.items() if path not in fixed}
    more["defaults"] = {**own, **more.get("defaults", {})}
    told = {**zeros(schema), **documents(schema, compare_as or ()), **whole_maps(schema), **_unordered(schema)}
    rules = {**told, **(compare_as or {})}
    acts = BlockActs(
        reader=reader,
        create=_call(create),
        updates=updates,
        delete=_call(delete),
        named=named,
        asks_first=asks_first,
        token=token,
        token_at=token_at,
        made=made,
        implied=implied or {},
        sent_as=sent_as or {},
        beside=beside,
        spares=spares,
        unseen=(schema.write_only - showing.properties - {*shows.split()}) | {*str(more.get("write_only", "")).split()},
        rules=rules,
        settled=settled,
        parting=parting,
    )
    is_sought = beside is None and (named is not None or not made)
    is_ec2 = isinstance(tags, str)
    return AwsType(
        facts=facts(
            name,
            reader.source,
            calls=_bill(acts, born or {}),
            costly=reader.costly,
            compare_as=rules,
            # The answer to Ref is kept with those to GetAtt, and no template asks for it by that name.
            attributes=" ".join(name for name in attributes or {} if name != "Ref"),
            shown=shows,
            refused=refused,
            # A thing that is looked up among others of its name shares the name with them.
            exclusive=[
                *([_name_of_one(showing, named)] if named and beside is None and not named.is_of_many else []),
                *exclusive,
            ],
            id_form=_id_form(showing),
            ref_attribute="Ref" if "Ref" in (attributes or {}) else "",
            named_by=more.pop("named_by", named.property if named and not made else ""),
            is_tagged=tags is not None and tags_as == "Tags",
            is_mutable=bool(updates or parts or tags),
            heeds=frozenset[str]().union(*(part.heeds for part in parts)),
            # A block says how its service is called, and little of the words in which it shows things.
            **{"retelling": WORDS, "makes_once": bool(token) and not token_at, **more},
        ),
        source=reader.source,
        question=_question(service, key, reader),
        create=acts.make,
        modify=acts.change,
        delete=acts.remove,
        is_found=acts.is_it,
        find_name=acts.sought if is_sought and not is_ec2 else None,
        find=None if is_sought or is_ec2 else acts.find,
        known_as=acts.known_as if len(key.split()) > 1 or "Ref" in (attributes or {}) else None,
        tagged_as=tags if isinstance(tags, str) else "",
        marks=acts.tags.marks if acts.tags is not None else None,
    )


def _id_form(showing: Showing) -> str:
    """The physical id as a person writes it, where Tenuto makes it of several parts."""
    words = showing.words.split()
    return ID.join(showing.property_of(word.rstrip("=-")) for word in words) if len(words) > 1 else ""


def _name_of_one(showing: Showing, named: Named) -> tuple[str, ...]:
    """The properties that no two things share: the name, and the parts of the id that are the scope of the name."""
    schema = showing.schema
    parts = [showing.property_of(word) for word in words_in(showing.words)]
    within = [name for name in parts if name in schema.properties - schema.read_only - {named.property}]
    return (*(name if name in schema.required else f"{name}{MAY_BE_ABSENT}" for name in within), named.property)


def _call(call: str | Call) -> Call:
    return Call(call) if isinstance(call, str) else call


def _updates(modify: Mapping[str | Call, str], mutable: frozenset[str]) -> tuple[Update, ...]:
    said = {word for words in modify.values() for word in words.partition("+")[0].split()} - {_REST}
    found = []
    for call, words in modify.items():
        changed, _, beside = words.partition("+")
        names = frozenset(changed.split())
        properties = names - {_REST} | (mutable - said if _REST in names else frozenset())
        found.append(Update(call=_call(call), properties=properties, beside=frozenset(beside.split())))
    return tuple(found)


def _unordered(schema: TypeSchema) -> dict[str, Rule]:
    """The lists of the type of which the order means nothing, as the schema says."""
    found: dict[str, Rule] = {}
    for name, declared in (schema.document.get("properties") or {}).items():
        rule = follow(declared, schema.document)
        if rule.get("type") == "array" and rule.get("insertionOrder") is False and name != "Tags":
            found[name] = Comparison.SET
    return found


def _are_mapping(schema: TypeSchema, tags_as: str) -> bool:
    rule: JsonMap = (schema.document.get("properties") or {}).get(tags_as) or {}
    kinds = follow(rule, schema.document).get("type")
    return "object" in (kinds if isinstance(kinds, list) else [kinds])


def _bill(acts: BlockActs, born: JsonMap) -> Calls:
    """The calls of the work on a thing, for the bill."""
    reader = acts.reader
    service, tags = reader.service, reader.showing.tags
    changes = {name: f"{service}:{one.call.operation}+" for one in acts.updates for name in sorted(one.properties)}
    members: dict[str, MemberCalls] = {}
    drops = {
        name: f"{service}:{one.call.drop}" for one in acts.updates if one.call.drop for name in sorted(one.properties)
    }
    for part in reader.parts:
        changes |= part.changes(service)
        drops |= part.drops(service)
        members |= part.members(service)
    return calls(
        f"{service}:{acts.create.operation}",
        f"{service}:{acts.delete.operation}",
        changes=changes,
        drops=drops,
        settings=born,
        members=members,
        tags=f"{service}:{tags.put_call} {service}:{tags.remove_call}" if isinstance(tags, TagCalls) else "",
        is_tagged=isinstance(tags, str),
    )


def _question(service: str, words: str, reader: BlockReader) -> Question | None:
    """The question after one thing. Its answer holds the thing where the list or the description has it."""
    described, listed, asked = reader.described, reader.listed, reader.asked
    call = asked or (described.call if described is not None else None)
    key = "" if call is None else call.key or words
    if call is None or call.fixed or not ("/" in key or len(key.split()) == 1):
        return None
    is_list = listed is not None and listed.operation == call.operation
    place = described if asked is None else listed if is_list else None
    return Question(service=service, call=call, words=words, place=place)
