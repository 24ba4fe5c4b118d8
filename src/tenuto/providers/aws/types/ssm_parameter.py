"""AWS::SSM::Parameter. Its Ref is its name, and its tags are a mapping, here alone.

Values are read for tracked parameters only, ten to a call: the list shows everything else.
"""

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents, Words
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

NAME = "AWS::SSM::Parameter"
_NAMED = Named("Name", 512)
_NAMES_PER_CALL = 10
"""The limit of GetParameters."""
_PARAMETERS = Paging(
    service="ssm",
    operation="DescribeParameters",
    members="Parameters",
    token_in="NextToken",
    token_out="NextToken",
    size_name="MaxResults",
    page_size=50,
)
_TAGS = TagCalls(
    service="ssm",
    put_call="AddTagsToResource",
    remove_call="RemoveTagsFromResource",
    id_name="ResourceId",
    fixed={"ResourceType": "Parameter"},
    listed_as="TagList",
)
_NO_SECRETS = "a composition cannot hold a SecureString, as in CloudFormation"
_SETTINGS = ("AllowedPattern", "DataType", "Description", "Tier", "Type")


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        return _named(client, scope.named(NAME))
    listed = {str(one["Name"]): one for one in client.pages(_PARAMETERS)}
    tracked = [name for name in sorted(listed) if scope.is_tracked(NAME, name)]
    exact = _exact(client, tracked)
    tags = scope.details(client, NAME, exact, _TAGS.details(client))
    return [
        _seen({**one, **exact.get(name, {})}, tags.get(name, {}).get("Tags") or [])
        for name, one in sorted(listed.items())
        if name in tags or not scope.is_tracked(NAME, name)
    ]


def _named(client: AccountClient, names: list[str]) -> list[Seen]:
    """Read parameters by their names, which are known at once; their settings come with the list, which comes late."""
    exact = _exact(client, names)
    if not exact:
        return []
    within = [{"Key": "Name", "Option": "Equals", "Values": sorted(exact)}]
    listed = {str(one["Name"]): one for one in client.pages(_PARAMETERS, ParameterFilters=within)}
    tags = dict(zip(exact, client.each(lambda name: _TAGS.read(client, name), list(exact)), strict=True))
    return [_seen({**listed.get(name, {}), **one}, tags[name]) for name, one in sorted(exact.items())]


def _exact(client: AccountClient, names: list[str]) -> dict[str, JsonMap]:
    found: dict[str, JsonMap] = {}
    for start in range(0, len(names), _NAMES_PER_CALL):
        some = names[start : start + _NAMES_PER_CALL]
        for one in _together(client, some):
            found[one["Name"]] = one
    return found


def _together(client: AccountClient, names: list[str]) -> list[JsonMap]:
    """Ask for all in one call; where that is refused because of some, ask for each by itself."""
    try:
        return _asked(client, names)
    except ProviderError as error:
        if client.unread is None or not faults.is_about_one(error):
            raise
        alone = client.each_there(lambda name: _asked(client, [name]), names)
        return [one for found in alone.values() for one in found]


def _asked(client: AccountClient, names: list[str]) -> list[JsonMap]:
    return list(client.read("ssm", "GetParameters", Names=names, WithDecryption=False)["Parameters"])


def _seen(one: JsonMap, tags: list[JsonMap]) -> Seen:
    name = one["Name"]
    properties = {key: one.get(key) for key in ("Name", "Value", *_SETTINGS)}
    attributes = {"Arn": one.get("ARN"), "Type": one.get("Type"), "Value": one.get("Value")}
    type_name, item = seen(NAME, name, properties, attributes=attributes, tags=tags)
    as_mapping = {tag["Key"]: tag["Value"] for tag in item.properties["Tags"]}
    return type_name, ObservedItem(
        physical_id=item.physical_id,
        properties={**item.properties, "Tags": as_mapping},
        attributes=item.attributes,
        owner=item.owner,
        undeclarable=_NO_SECRETS if one.get("Type") == "SecureString" else "",
    )


def _create(work: Work) -> Outcome:
    name = _NAMED(work.request)
    if work.want("Type") == "SecureString":
        raise PermanentError(f"{_NO_SECRETS[0].upper()}{_NO_SECRETS[1:]}.", code="NotSupported")
    work.change(
        "ssm",
        "PutParameter",
        Name=name,
        Value=work.need("Value"),
        Overwrite=False,
        **work.given(*_SETTINGS, "Policies"),
        **_TAGS.at_birth(work),
    )
    return Done(physical_id=PhysicalId(name), attributes=_answers(work))


def _modify(work: Work) -> Outcome:
    if any(work.differs(key) for key in ("Value", *_SETTINGS)):
        work.change(
            "ssm",
            "PutParameter",
            Name=work.id,
            Value=work.need("Value"),
            Overwrite=True,
            **work.given(*_SETTINGS, "Policies"),
        )
    _TAGS.repair(work)
    return Done(physical_id=work.id, attributes=_answers(work))


def _answers(work: Work) -> JsonMap:
    """The answers of its new value at once, so that those who refer to it follow in the same update."""
    return {"Type": work.need("Type"), "Value": work.need("Value")}


def _delete(work: Work) -> Outcome:
    work.change("ssm", "DeleteParameter", Name=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="ssm.DescribeParameters", read=_read)

PARAMETER = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls(
            "ssm:PutParameter",
            "ssm:DeleteParameter",
            "ssm:PutParameter",
            tags="ssm:AddTagsToResource ssm:RemoveTagsFromResource",
        ),
        shown="AllowedPattern Description Tier",
        attributes="Type Value",
        when_absent={"Tags": {}},
        costly=["Tags"],
        compare_as={
            "DataType": Comparison.SHOWN,
            "Tags": Documents(),
            "Tier": Words(choice=frozenset({"Intelligent-Tiering"})),
        },
        exclusive=[("Name",)],
        named_by="Name",
        bears_data=True,
        is_tagged=False,
    ),
    source=SOURCE,
    question=by_name("ssm", "GetParameter", "Name", "Parameter"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find_name=_NAMED,
    marks=_TAGS.marks,
)
TYPES = (PARAMETER,)
