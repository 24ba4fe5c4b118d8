"""AWS::CodeBuild::Project. Its Ref is its name.

CodeBuild has no calls about tags: an update takes them like any other value, all at once. A webhook is made at the
service that has the source, and is a part of the project here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import declared, sent
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, tag_change
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.naming import KMS_KEY, ROLE
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_NAME = "AWS::CodeBuild::Project"
_TRIGGERS = "Triggers"
_VISIBILITY, _ACCESS_ROLE = "Visibility", "ResourceAccessRole"
_PRIVATE = "PRIVATE"
_SHOWN = Call("BatchGetProjects", key="names[]")
_FILTERS = "FilterGroups"
_SETTLED = "ScopeConfiguration"
"""The member that only a new webhook can have."""


def _in_capitals(one: JsonMap) -> JsonMap:
    return {f"{name[:1].upper()}{name[1:]}": value for name, value in one.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _TagsAsWhole(TagCalls):
    """Tags that only an update of the project writes: all of them at once, so it reads them first."""

    def repair(self, work: Work) -> None:
        change = tag_change(work.request.properties, work.seen("Tags"))
        if change.put or change.remove:
            self._write(work, [{"Key": key, "Value": value} for key, value in change.put], change.remove)

    def _put(self, work: Work, tags: Sequence[Tag]) -> None:
        self._write(work, tags, ())

    def _remove(self, work: Work, keys: Sequence[str]) -> None:
        self._write(work, (), keys)

    def _write(self, work: Work, put: Sequence[Tag], remove: Iterable[str]) -> None:
        there = {tag["Key"]: tag["Value"] for tag in self.read(work.client, work.id)}
        wanted = {key: value for key, value in there.items() if key not in remove}
        wanted |= {tag["Key"]: tag["Value"] for tag in put}
        tags = self._shaped([{"Key": key, "Value": wanted[key]} for key in sorted(wanted)])
        work.change(self.service, self.put_call, name=work.id, tags=tags)


@dataclass(frozen=True, kw_only=True)
class _Webhook(Shown):
    """The webhook of a project, which goes before the project does."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_TRIGGERS})

    def read(self, thing: Thing) -> dict[str, Json]:
        webhook = thing.answer.get("webhook")
        if not webhook:
            return {_TRIGGERS: {"Webhook": False}}
        shown: JsonMap = declared({_TRIGGERS: webhook}, published(_NAME), [_TRIGGERS], {}, {})[_TRIGGERS]
        # The schema does not tell the members of a filter.
        groups = [[_in_capitals(one) for one in group] for group in shown.get(_FILTERS) or ()]
        return {_TRIGGERS: {**shown, _FILTERS: groups, "Webhook": True}}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_TRIGGERS):
            return
        wanted, there = work.want(_TRIGGERS), work.seen(_TRIGGERS) or {}
        is_there, is_wanted = flag(there.get("Webhook", False)), flag(wanted.get("Webhook", False))
        if is_there and not (is_wanted and wanted.get(_SETTLED) == there.get(_SETTLED)):
            work.change(service, "DeleteWebhook", projectName=work.id)
            is_there = False
        if is_wanted:
            operation = "UpdateWebhook" if is_there else "CreateWebhook"
            given = sent(work.client.input_of(service, operation), wanted, {})
            work.change(service, operation, projectName=work.id, **given)

    def clear(self, work: Work, service: str, words: str) -> None:
        if self._has_webhook(work.client, service, work.id):
            work.let_go(service, "DeleteWebhook", projectName=work.id)

    def _has_webhook(self, client: AccountClient, service: str, name: str) -> bool:
        answer = client.read(service, _SHOWN.operation, **_SHOWN.about("", name))
        return any(project.get("webhook") for project in answer.get("projects") or ())

    def changes(self, service: str) -> Mapping[str, str]:
        return {_TRIGGERS: f"{service}:UpdateWebhook"}


class _Visibility(Shown):
    """The visibility of the builds of a project, and the role by which CodeBuild shows their logs and artifacts to all.

    One call sets both, and no call takes a role away: a project that has become private makes no use of it.
    """

    properties = frozenset({_VISIBILITY, _ACCESS_ROLE})

    def read(self, thing: Thing) -> dict[str, Json]:
        found = {
            _VISIBILITY: thing.answer.get("projectVisibility") or _PRIVATE,
            _ACCESS_ROLE: thing.answer.get("resourceAccessRole"),
        }
        return {name: value for name, value in found.items() if value is not None}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not any(map(work.differs, (_VISIBILITY, _ACCESS_ROLE))):
            return
        project = only(work.read(service, _SHOWN.operation, **_SHOWN.about(words, work.id)), "projects")
        visibility = work.want(_VISIBILITY) or work.seen(_VISIBILITY) or _PRIVATE
        role = work.want(_ACCESS_ROLE)
        given = {"projectVisibility": visibility, **({"resourceAccessRole": role} if role else {})}
        work.change(service, "UpdateProjectVisibility", projectArn=project["arn"], **given)

    def changes(self, service: str) -> Mapping[str, str]:
        # One call brings both about.
        return dict.fromkeys(sorted(self.properties), f"{service}:UpdateProjectVisibility+")


PROJECT = block(
    _NAME,
    "codebuild",
    key="name",
    listed=Listed(operation="ListProjects", id=str),
    described=Described(call=_SHOWN, at="projects[0]", gone_at="projectsNotFound || projects == `[]`"),
    named=Named("Name", 150),
    create="CreateProject",
    shown={"BadgeEnabled": "badge.badgeEnabled"},
    modify={"UpdateProject": "*"},
    parts=(_Webhook(), _Visibility()),
    delete="DeleteProject",
    attributes={"Id": "$id"},
    tags=_TagsAsWhole(
        service="codebuild",
        list_call=_SHOWN.operation,
        put_call="UpdateProject",
        remove_call="UpdateProject",
        id_name="names[]",
        shown_at="tags",
        listed_as="projects[0].tags",
        given_as="tags",
        key_as="key",
        value_as="value",
    ),
    compare_as={
        "EncryptionKey": KMS_KEY,
        _ACCESS_ROLE: ROLE,
        "SecondaryArtifacts": Comparison.SET,
        "SecondarySources": Comparison.SET,
        "ServiceRole": ROLE,
        "VpcConfig.SecurityGroupIds": Comparison.SET,
        "VpcConfig.Subnets": Comparison.SET,
    },
    # A project has these where its declaration does not say; the schema publishes no defaults.
    defaults={
        "BadgeEnabled": False,
        "Cache": {"Type": "NO_CACHE"},
        "ConcurrentBuildLimit": -1,
        "Description": "",
        "FileSystemLocations": [],
        "QueuedTimeoutInMinutes": 480,
        "SecondaryArtifacts": [],
        "SecondarySourceVersions": [],
        "SecondarySources": [],
        "SourceVersion": "",
        "TimeoutInMinutes": 60,
        "Triggers": {"Webhook": False},
        _VISIBILITY: _PRIVATE,
    },
    named_attributes="Arn",
)
TYPES = (PROJECT,)
