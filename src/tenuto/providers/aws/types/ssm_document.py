"""AWS::SSM::Document. Its Ref is its name.

Theory of operation. A change makes a version, which then becomes the one in effect; the name, and its users, stay. So
`UpdateMethod` decides nothing here: CloudFormation would replace the document by default, and could not with a name
that is declared. A content that an earlier version has makes no other: that version comes into effect again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import ProviderError
from tenuto.model.ids import Json
from tenuto.model.spelling import Program
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.answers.faults import is_taken
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_CONTENT, _FORMAT, _TARGET = "Content", "DocumentFormat", "TargetType"
_VERSION, _METHOD = "VersionName", "UpdateMethod"
_RULES = {_CONTENT: Program()}
_MOST_VERSIONS = 50
"""The versions that are looked through for a content: each costs a call."""


@dataclass(frozen=True, kw_only=True)
class _Content(Plain):
    """The properties that a version of the document has."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_CONTENT, _FORMAT, _TARGET, _VERSION, _METHOD})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer or thing.client.read(thing.service, "DescribeDocument", Name=thing.id)["Document"]
        found = {name: shown.get(name) for name in (_FORMAT, _TARGET, _VERSION)}
        content = _content(thing.client, thing.id, str(shown.get(_FORMAT, "JSON")))
        return {_CONTENT: content, **{name: value for name, value in found.items() if value is not None}}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {**work.given(_FORMAT, _TARGET, _VERSION), _CONTENT: text_of(work.need(_CONTENT))}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not any(work.differs(name) for name in (_CONTENT, _FORMAT, _TARGET, _VERSION)):
            return
        given = {**work.given(_FORMAT, _TARGET), _CONTENT: text_of(work.need(_CONTENT))}
        if work.differs(_VERSION):
            # No two versions share a name.
            given |= work.given(_VERSION)
        try:
            answer = work.change(service, "UpdateDocument", Name=work.id, DocumentVersion="$LATEST", **given)
            version = answer["DocumentDescription"]["DocumentVersion"]
        except ProviderError as error:
            if not is_taken(error):
                raise
            version = _version_with(work, error)
        work.change(service, "UpdateDocumentDefaultVersion", Name=work.id, DocumentVersion=version)

    def changes(self, service: str) -> Mapping[str, str]:
        calls = f"{service}:UpdateDocument+ {service}:UpdateDocumentDefaultVersion+"
        return dict.fromkeys((_CONTENT, _FORMAT, _TARGET, _VERSION), calls)


def _content(client: AccountClient, name: str, form: str, **which: str) -> Json:
    answer = client.read("ssm", "GetDocument", Name=name, DocumentFormat=form, **which)
    content = answer["Content"]
    return parsed(content.lstrip()) if form == "JSON" else content


def _version_with(work: Work, error: ProviderError) -> str:
    """The newest version that has the declared content. Raises the refusal when there is none."""
    form = str(work.want(_FORMAT) or "JSON")
    latest = work.read("ssm", "DescribeDocument", Name=work.id, DocumentVersion="$LATEST")["Document"]["LatestVersion"]
    for number in range(int(latest), max(0, int(latest) - _MOST_VERSIONS), -1):
        version = str(number)
        try:
            content = _content(work.client, work.id, form, DocumentVersion=version)
        except ProviderError:
            # Versions can be deleted.
            continue
        if means_same(work.need(_CONTENT), content, _RULES, _CONTENT):
            return version
    raise error


DOCUMENT = block(
    "AWS::SSM::Document",
    "ssm",
    key="Name",
    listed=Listed(operation="ListDocuments", id="Name", fixed={"Filters": [{"Key": "Owner", "Values": ["Self"]}]}),
    described=Described(call=Call("DescribeDocument"), at="Document", anew=True),
    named=Named("Name", 128),
    create="CreateDocument",
    parts=(_Content(),),
    delete="DeleteDocument",
    state=State(
        at="Status", pending="Creating Updating", going="Deleting", broken="Failed", reason="StatusInformation"
    ),
    tags=TagCalls(
        service="ssm",
        put_call="AddTagsToResource",
        remove_call="RemoveTagsFromResource",
        id_name="ResourceId",
        fixed={"ResourceType": "Document"},
        listed_as="TagList",
    ),
    create_only="Requires",
    refused={
        "Attachments": "No answer shows the files of a document, so nothing could be held. Take it out, and "
        "make the document with `aws ssm create-document --attachments`.",
    },
    compare_as=_RULES,
)
TYPES = (DOCUMENT,)
