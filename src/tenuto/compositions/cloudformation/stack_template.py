"""The template of a running stack, edited for its import: comments, order and short forms stay as they were written.

Four edits are needed. For the import each resource gets its `ResourceIdentifier`, and the tags of the stack that its
thing carries. To let go of the stack each gets `DeletionPolicy` and `UpdateReplacePolicy` Retain and a mark in its
metadata: CloudFormation takes a change of a policy alone for no change at all. A stack whose exports are in use stays
as a shell, with its outputs as they are now.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from tenuto.compositions.cloudformation.sections.metadata_for_tenuto import ACCEPT
from tenuto.core.planning.comparing.adoption import IDENTIFIER, SECTION
from tenuto.errors import UserError
from tenuto.model.ids import LogicalId
from tenuto.model.stack import StackOutput, StackTags

RETAINING = ("DeletionPolicy", "UpdateReplacePolicy")
RETAIN = "Retain"
RESOURCES, PARAMETERS = "Resources", "Parameters"
MARK = "TenutoLetsGo"
DROPPED = ("AWS::CDK::Metadata",)
"""Types that describe the stack and nothing in the account."""
_WIDTH = 2**31
"""Nothing is folded: a line stays as it was written."""
_SHELL = "TenutoShell"
_STACK_ID = "AWS::StackId"
_CALL = re.compile(r"Fn::.*|Ref")
"""The names of functions in their long form."""


def is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def identified(
    text: str, identifiers: Mapping[LogicalId, str], accepted: Mapping[LogicalId, Sequence[str]] | None = None
) -> str:
    """The template with the physical id of each resource in its metadata, and without the parts that describe the stack
    alone.

    `accepted` are the codes of the problems that each resource is to accept: AWS has taken its values.
    Raises UserError when the text is no template.
    """

    def edit(template: Any) -> None:
        for name in [name for name, one in template[RESOURCES].items() if one.get("Type") in DROPPED]:
            del template[RESOURCES][name]
        if not any(_uses(template, "CDKMetadataAvailable")):
            template.get("Conditions", {}).pop("CDKMetadataAvailable", None)
        for name, identifier in identifiers.items():
            metadata = template[RESOURCES][name].setdefault("Metadata", {})
            metadata.setdefault(SECTION, {})[IDENTIFIER] = str(identifier)
        for name, codes in (accepted or {}).items():
            metadata = template[RESOURCES][name].setdefault("Metadata", {})
            metadata.setdefault(SECTION, {})[ACCEPT] = list(codes)

    return _edited(text, edit)


def with_tags(text: str, tags: Mapping[LogicalId, StackTags]) -> tuple[str, tuple[LogicalId, ...]]:
    """Return the template with these tags on its resources, and the resources that take none: their tags are the result
    of a function, which stays as it is. Raises UserError when the text is no template."""
    left: list[LogicalId] = []

    def edit(template: Any) -> None:
        for name, one in tags.items():
            if not _is_tagged(template[RESOURCES][name], one.property, quoted(one.added)):
                left.append(name)

    quoted = _as_it_is if is_json(text) else _quoted
    return (_edited(text, edit) if tags else text), tuple(left)


def retaining(text: str, mark: str) -> str:
    """The template with every resource retained, and marked so that each counts as changed."""

    def edit(template: Any) -> None:
        for one in template[RESOURCES].values():
            for policy in RETAINING:
                one[policy] = RETAIN
            one.setdefault("Metadata", {})[MARK] = mark

    return _edited(text, edit)


def not_retained(text: str) -> list[LogicalId]:
    """The resources of a template that the deletion or the replacement of the stack would delete."""
    found: list[LogicalId] = []

    def read(template: Any) -> None:
        for name, one in template[RESOURCES].items():
            if any(one.get(policy) != RETAIN for policy in RETAINING):
                found.append(LogicalId(str(name)))

    _edited(text, read)
    return found


def names_in(text: str, section: str) -> tuple[str, ...]:
    """The names that a section of a template declares, in order. Raises UserError when the text is no template."""
    found: list[str] = []

    def read(template: Any) -> None:
        found.extend(map(str, template.get(section) or ()))

    _edited(text, read)
    return tuple(found)


def saying_stack_id(text: str) -> tuple[LogicalId, ...]:
    """The resources with the id of the stack in a property: an ARN there, and the FID of the process here. Raises
    UserError when the text is no template."""
    found: list[LogicalId] = []

    def read(template: Any) -> None:
        for name, one in template[RESOURCES].items():
            if one.get("Type") not in DROPPED and any(_STACK_ID in told for told in _texts(one.get("Properties"))):
                found.append(LogicalId(str(name)))

    _edited(text, read)
    return tuple(found)


def shell(outputs: Sequence[StackOutput]) -> str:
    """A template with these outputs as literals, and with a handle for its one resource, which is nothing."""
    return json.dumps(
        {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Description": "The exports of a stack whose resources Tenuto holds.",
            RESOURCES: {_SHELL: {"Type": "AWS::CloudFormation::WaitConditionHandle"}},
            "Outputs": {
                one.name: {"Value": one.value} | ({"Export": {"Name": one.export}} if one.export else {})
                for one in outputs
            },
        },
        indent=2,
    )


def is_shell(text: str) -> bool:
    """Whether the template is one that `shell` has made."""
    return is_json(text) and _SHELL in text and names_in(text, RESOURCES) == (_SHELL,)


def _is_tagged(resource: Any, name: str, added: Any) -> bool:
    """Add tags to those of a resource; False when these are the result of a function."""
    properties = resource.setdefault("Properties", {})
    if _is_call(properties):
        return False
    present = properties.setdefault(name, type(added)())
    if _is_call(present) or not isinstance(present, type(added)):
        return False
    if isinstance(present, list):
        present.extend(added)
    else:
        present.update(added)
    return True


def _is_call(value: Any) -> bool:
    """Whether a value of a template is the call of a function, in the long form or the short one."""
    if tag := getattr(value, "tag", None):
        return bool(tag.value)
    return isinstance(value, dict) and len(value) == 1 and _CALL.fullmatch(str(next(iter(value)))) is not None


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value of a template, those behind short forms of functions included."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    else:
        yield str(getattr(value, "value", value))


def _as_it_is(value: Any) -> Any:
    return value


def _quoted(value: Any) -> Any:
    """Tags with their texts in quotes: `no` and `0123` are no texts to every reader of YAML."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    def text(one: Any) -> Any:
        return DoubleQuotedScalarString(one) if isinstance(one, str) else one

    if isinstance(value, dict):
        return {text(key): text(one) for key, one in value.items()}
    return [{name: text(one) for name, one in entry.items()} for entry in value]


def _uses(value: Any, condition: str) -> Any:
    """Yield True for each place outside of the conditions that names one."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "Condition" and member == condition:
                yield True
            elif key != "Conditions":
                yield from _uses(member, condition)
    elif isinstance(value, list):
        for member in value:
            yield from _uses(member, condition)


def _edited(text: str, edit: Callable[[Any], None]) -> str:
    if is_json(text):
        template = json.loads(text)
        _check(template)
        edit(template)
        return f"{json.dumps(template, indent=2, ensure_ascii=False)}\n"
    # Imported here because it costs more than all of `tenuto --help`, and only an import needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.width = _WIDTH
    yaml.preserve_quotes = True
    try:
        template = yaml.load(text)
    except YAMLError as wrong:
        raise UserError("The template of the stack is no YAML that can be edited.") from wrong
    _check(template)
    edit(template)
    written = StringIO()
    yaml.dump(template, written)
    return written.getvalue()


def _check(template: Any) -> None:
    resources = template.get(RESOURCES) if isinstance(template, dict) else None
    if not isinstance(resources, dict) or not all(isinstance(one, dict) for one in resources.values()):
        raise UserError("The template of the stack has no section Resources.")
