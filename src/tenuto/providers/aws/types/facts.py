"""The facts of a block: those that AWS publishes of the type, and those that only Tenuto knows of it.

The published schema says which properties are settled at the creation, which are never shown again and which attributes
there are. A block names only the facts that the schema leaves out: properties that no call changes in place, and ones
that a call shows although the schema says that none does. So an update of the schemas reaches the planner by itself.
"""

from collections.abc import Iterable, Mapping

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas, OwnSchemas, Schemas, TypeSchema, follow
from tenuto.errors import BugError
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.rate import Calls, MemberCalls
from tenuto.model.resource import Comparison, ResourceType, Rule, SettledMembers, Unsaid, Watch
from tenuto.model.spelling import Retelling, ServiceMembers
from tenuto.providers.aws.client.owner import TAGS_OF_SERVICES
from tenuto.providers.aws.kind import Source
from tenuto.providers.aws.rates.buckets import calls_of

_PUBLISHED = Schemas((AwsSchemas(HOME_REGION), OwnSchemas()))
_EC2_TAGS = "ec2:CreateTags/1000 ec2:DeleteTags/1000"


def facts(
    name: str,
    source: Source,
    *,
    create_only: str = "",
    in_place: str = "",
    interrupting: str = "",
    write_only: str = "",
    shown: str = "",
    attributes: str = "",
    when_absent: JsonMap | None = None,
    defaults: JsonMap | None = None,
    cleared_last: str = "",
    detached: str = "",
    costly: Iterable[str] = (),
    asked_members: Mapping[str, str] | None = None,
    compare_as: Mapping[str, Rule] | None = None,
    retelling: Retelling | None = None,
    synonyms: Iterable[tuple[str, ...]] = (),
    unsaid: Iterable[Unsaid] = (),
    exclusive: Iterable[tuple[str, ...]] = (),
    id_form: str = "",
    named_by: str = "",
    named_attributes: str = "",
    named_with: str = "",
    ref_attribute: str = "",
    is_tagged: bool = True,
    is_mutable: bool = True,
    is_read_first: bool = False,
    calls: Calls | None = None,
    has_snapshots: bool = False,
    makes_once: bool = False,
    bears_data: bool = False,
    heeds: Iterable[str] = (),
    refused: Mapping[str, str] | None = None,
    recovers: bool = False,
    of_services: Mapping[str, ServiceMembers] | None = None,
    goes_in_steps: bool = False,
    left_as_is: str = "",
    settled_members: Mapping[str, SettledMembers] | None = None,
) -> ResourceType:
    """A ResourceType of AWS; property lists are written as words. A tagged type's undeclared tags mean none.

    `create_only`, `write_only` and `attributes` are added to those of the schema; `in_place` are create-only ones of
    the schema that a call changes nevertheless, `interrupting` those whose change may interrupt the service according
    to the pages of AWS about updates, `shown` write-only ones that a call shows. `defaults` are values that
    a property gets back when it is taken out of a composition, beside those that the schema publishes; `refused` are
    reasons by words.
    """
    schema, refused = published(name), each_word(refused or {})
    # How AWS treats what is refused does not matter: it is never declared.
    settled = (_top(schema.create_only) - {*in_place.split()} | {*create_only.split()}) - refused.keys()
    hidden = (_top(schema.write_only) - {*shown.split()} | {*write_only.split()}) - refused.keys()
    fixed = settled | hidden | _top(schema.read_only)
    tag_absence: JsonMap = {"Tags": []} if is_tagged else {}
    tag_comparison: Mapping[str, Rule] = {"Tags": Comparison.SET} if is_tagged else {}
    return ResourceType(
        name=TypeName(name),
        provider="aws",
        source=source.name,
        watch=Watch.PAGE if source.shows_all else Watch.SINGLE,
        create_only=settled,
        interrupting=frozenset(interrupting.split()) - settled,
        write_only=hidden,
        required=_top(schema.required),
        attributes=_top(schema.attributes) - _halved(attributes) | {*attributes.split()},
        when_absent={**tag_absence, **(when_absent or {})},
        defaults={**_defaults(schema, fixed), **(defaults or {})},
        cleared_last=frozenset(cleared_last.split()),
        detached=frozenset(detached.split()),
        costly=frozenset(costly),
        asked_members=asked_members or {},
        compare_as={**tag_comparison, **(compare_as or {})},
        retelling=retelling,
        of_services={**({"Tags": TAGS_OF_SERVICES} if is_tagged else {}), **(of_services or {})},
        synonyms=tuple(synonyms),
        unsaid=tuple(unsaid),
        exclusive=tuple(exclusive),
        id_form=id_form,
        named_by=named_by,
        ref_attribute=ref_attribute,
        named_attributes=frozenset(named_attributes.split()),
        named_with=frozenset(named_with.split()),
        calls=calls or Calls(),
        mutable=is_mutable,
        has_snapshots=has_snapshots,
        makes_once=makes_once,
        is_marked=is_tagged or source.shows_all,
        is_read_first=is_read_first,
        shows_duplicates=source.shows_all or source.can_show_all,
        bears_data=bears_data,
        heeds=frozenset(TypeName(one) for one in heeds),
        refused=refused,
        recovers=recovers,
        goes_in_steps=goes_in_steps,
        left_as_is=frozenset(left_as_is.split()),
        settled_members=settled_members or {},
    )


def _defaults(schema: TypeSchema, fixed: frozenset[str]) -> dict[str, Json]:
    """The defaults that the schema publishes, but for the fixed properties. A text may be prose, with placeholders in
    it: only numbers and truth values are taken."""
    rules: Mapping[str, JsonMap] = schema.document.get("properties", {})
    told = {name: follow(rule, schema.document).get("default") for name, rule in rules.items() if name not in fixed}
    return {name: value for name, value in told.items() if isinstance(value, bool | int | float)}


def each_word(by_words: Mapping[str, str]) -> dict[str, str]:
    """The values of a mapping by each single word of its keys."""
    return {word: value for words, value in by_words.items() for word in words.split()}


def untried(command: str) -> str:
    """The reason to refuse a property whose calls no emulator serves, with the command of AWS that sets it."""
    return (
        "No emulator serves its calls, so nothing shows that it would be held. Take it out, and set it with "
        f"`{command}` after the run; Tenuto leaves it as it is."
    )


def published(name: str) -> TypeSchema:
    """The schema of a type. Raises BugError when there is none."""
    found = _PUBLISHED.find(name)
    if found is None:
        raise BugError(f"there is no schema of {name}")
    return found


def _halved(attributes: str) -> set[str]:
    """The attributes that are answered by their members alone: `State` is not, where `State.Code` is."""
    return {name.partition(".")[0] for name in attributes.split() if "." in name}


def _top(paths: frozenset[str]) -> frozenset[str]:
    """The paths of whole properties: a nested one has a rule of its own where it matters."""
    return frozenset(path for path in paths if "." not in path)


def unsaid(names: str, *, beside: str = "", **where: str) -> Unsaid:
    """The properties that a description leaves out, in words; `where` has the values of properties, in words too."""
    values = {name: frozenset(words.split()) for name, words in where.items()}
    return Unsaid(names=frozenset(names.split()), beside=beside, where=values)


def calls(
    create: str,
    delete: str,
    modify: str = "",
    *,
    changes: Mapping[str, str] | None = None,
    drops: Mapping[str, str] | None = None,
    settings: JsonMap | None = None,
    members: Mapping[str, MemberCalls] | None = None,
    tags: str = "",
    is_tagged: bool = False,
) -> Calls:
    """The calls of a block's work, in words such as `ec2:CreateVpc`.

    `tags` are the calls that put and remove tags, `is_tagged` says that they are EC2's own.
    """
    tag, untag = (calls_of(word) for word in (_EC2_TAGS if is_tagged else tags or " ").split(" "))
    tagging = {"Tags": MemberCalls(put=tag, drop=untag, key="Key", is_bulk=True, comes_with_it=True)} if tag else {}
    return Calls(
        create=calls_of(create),
        delete=calls_of(delete),
        modify=calls_of(modify),
        changes={name: calls_of(words) for name, words in (changes or {}).items()},
        drops={name: calls_of(words) for name, words in (drops or {}).items()},
        settings=settings or {},
        members={**tagging, **(members or {})},
    )


def member(
    put: str,
    drop: str = "",
    clear: str = "",
    *,
    key: str = "",
    retell: str = "",
    told: str = "",
    at_birth: tuple[Json, ...] = (),
) -> MemberCalls:
    """The calls of the members of a list, in words."""
    return MemberCalls(
        put=calls_of(put),
        drop=calls_of(drop),
        clear=calls_of(clear),
        retell=calls_of(retell),
        key=key,
        told=told,
        at_birth=at_birth,
    )
