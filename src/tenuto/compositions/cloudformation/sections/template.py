"""The sections of a template, and the names that it declares."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.compositions.checks.managed import Managed
from tenuto.compositions.checks.schema import SchemaSource, TypeSchema
from tenuto.compositions.cloudformation.dialects import serverless
from tenuto.compositions.cloudformation.reading import forms, shape
from tenuto.compositions.cloudformation.sections.resources import Source
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.kit.nearest import likeness, nearest
from tenuto.model.cdk_types import CDK_TYPES
from tenuto.model.cloud_node import type_named
from tenuto.model.ids import TypeName

_SECTIONS = (
    *("AWSTemplateFormatVersion", "Description", "Metadata", "Parameters", "Rules", "Mappings", "Conditions"),
    *("Transform", "Hooks", "Resources", "Outputs"),
)
_RESOURCE_KEYS = (
    *("Type", "Properties", "DependsOn", "Condition", "Metadata", "Description", "Version"),
    *("DeletionPolicy", "UpdateReplacePolicy", "CreationPolicy", "UpdatePolicy"),
)
_VERSION = "2010-09-09"
_NAME = re.compile(r"[A-Za-z0-9]{1,255}")
_MOST_RESOURCES = 100_000
"""CloudFormation stops at 500; the Conductor does not need to. A typing error in a generator should still stop."""
_FOREIGN = re.compile(r"AWS::CloudFormation::Macro|.+::MODULE")
_CUSTOM = "AWS::CloudFormation::CustomResource"
_CUSTOM_PREFIX = "Custom::"
_MACRO = (
    "Deploy the macro with CloudFormation. A template that calls it has to be expanded there: 'get-template "
    "--template-stage Processed' of its change set writes the template that Tenuto takes."
)
_PRIVATE = (
    "Check the spelling. A private type, or one of another publisher, is known to CloudFormation alone: "
    "leave such a resource to CloudFormation, and refer to it by a parameter."
)
_OF_A_SERVICE = 0.6
"""`Lamda` is as like `Lambda` as that, and `EC3` as `EC2`; of another service nothing is a good guess."""
_SAM = f"It belongs to AWS SAM: add the line `Transform: {serverless.TRANSFORM}` at the top of the template."


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The sections that matter. A missing one is None."""

    description: str
    parameters: Fields | None
    rules: Fields | None
    mappings: Fields | None
    conditions: Fields | None
    resources: Fields | None
    outputs: Fields | None


def known_sections(root: Fields, problems: Problems, *, is_serverless: bool = False) -> Fields:
    """Return the document without unknown sections, which are reported."""
    sections = (*_SECTIONS, "Globals") if is_serverless else _SECTIONS
    is_sam = "Globals" in root.names and not is_serverless
    hint = _SAM if is_sam else "A template has the sections " + ", ".join(sections) + "."
    return shape.known_fields(root, sections, problems, codes.UNKNOWN_SECTION, "A composition", hint=hint)


def parameter_section(root: Fields, problems: Problems) -> Fields | None:
    """The declared parameters, whose values must be known before the rest can be read."""
    return _section(root, "Parameters", problems)


def open_template(root: Fields, problems: Problems) -> Template:
    """Sort the document, which holds known sections and no loops any more, and report the sections without effect."""
    _check_version(root, problems)
    hooks = root.entry("Hooks")
    if hooks is not None:
        problems.add(codes.SECTION_IGNORED, hooks.key, "Tenuto does not run the hooks of CloudFormation.")
    description = root.get("Description")
    words = shape.text(description, problems, "The description") if description else None
    return Template(
        description=words or "",
        parameters=_section(root, "Parameters", problems),
        rules=_section(root, "Rules", problems),
        mappings=_section(root, "Mappings", problems),
        conditions=_section(root, "Conditions", problems),
        resources=_resources(root, problems),
        outputs=_section(root, "Outputs", problems),
    )


def _check_version(root: Fields, problems: Problems) -> None:
    node = root.get("AWSTemplateFormatVersion")
    if node is not None and not (isinstance(node, Scalar) and node.text == _VERSION):
        problems.add(codes.UNKNOWN_VERSION, node, f"The version must be {_VERSION}.")


def _section(root: Fields, name: str, problems: Problems) -> Fields | None:
    node = root.get(name)
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return None
    section = shape.fields(node, problems, f"The section {name}")
    if section is None:
        return None
    kept = tuple(entry for entry in section.entries if not _is_loop(entry, problems))
    for entry in kept:
        _check_name(entry, name, problems)
    return Fields(entries=kept, position=section.position)


def _is_loop(entry: Entry, problems: Problems) -> bool:
    """Whether the entry is a function that makes entries, which is reported."""
    if not entry.name.startswith("Fn::"):
        return False
    is_macro = entry.name == "Fn::Transform"
    hint = codes.NO_TRANSFORM.hint if is_macro else ""
    detail = forms.transform_told(entry.value) if is_macro else f"Tenuto has no {entry.name} for whole entries."
    problems.add(codes.FUNCTION_NOT_SUPPORTED, entry.key, detail, hint=hint)
    return True


def _check_name(entry: Entry, section: str, problems: Problems) -> None:
    """Check a name by its kind: names of mappings and the like may hold more signs than those that `Ref` takes."""
    if section in ("Parameters", "Resources", "Outputs") and not _NAME.fullmatch(entry.name):
        detail = f"{entry.name!r} cannot be the name of an entry in {section}."
        problems.add(codes.INVALID_NAME, entry.key, detail, subject=entry.name)


def _resources(root: Fields, problems: Problems) -> Fields | None:
    section = _section(root, "Resources", problems)
    entry = root.entry("Resources")
    if section is None or not section.entries:
        has_functions = entry is not None and isinstance(entry.value, Fields) and entry.value.entries
        if not has_functions and (entry is None or section is not None or _is_empty(entry)):
            at = entry.key if entry else root
            problems.add(codes.NO_RESOURCES, at, "The Resources section is missing or empty.")
        return None
    if len(section.entries) > _MOST_RESOURCES:
        detail = f"There are {len(section.entries):,} resources; {_MOST_RESOURCES:,} are allowed."
        problems.add(codes.TOO_MANY_RESOURCES, section, detail)
        return None
    return section


def _is_empty(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and entry.value.value is None


def resource_sources(template: Template, schemas: SchemaSource, problems: Problems) -> Mapping[str, Source]:
    """Every declared resource with its type and schema. One with a problem stays, so that its name is known."""
    found: dict[str, Source] = {}
    parameters = template.parameters.names if template.parameters else ()
    for entry in template.resources.entries if template.resources else ():
        if entry.name in parameters:
            detail = f"{entry.name} is a parameter and a resource."
            problems.add(codes.NAME_TAKEN, entry.key, detail, subject=entry.name)
        # `Type` at the depth of the names is a line that was not indented enough, and not a resource.
        is_key = entry.name in _RESOURCE_KEYS
        hint = f"{entry.name} belongs to a resource: indent it by two more spaces." if is_key else ""
        fields = shape.fields(entry.value, problems, f"Resource {entry.name}", hint=hint)
        if fields is not None:
            fields = shape.known_fields(fields, _RESOURCE_KEYS, problems, codes.UNKNOWN_RESOURCE_KEY, "A resource")
        empty = Fields(entries=(), position=entry.key.position)
        spelled = _type(entry, fields, problems) if fields else None
        schema = _schema(spelled.text, schemas) if spelled else None
        found[entry.name] = Source(
            entry=entry,
            fields=fields or empty,
            type=type_named(spelled.text) if spelled else "",
            schema=schema,
            spelled=spelled,
        )
    return found


def _schema(name: str, schemas: SchemaSource) -> TypeSchema | None:
    """The schema of a type. A custom resource may have any properties and attributes."""
    if name == _CUSTOM or name.startswith(_CUSTOM_PREFIX):
        return TypeSchema(name=TypeName(name))
    return None if _FOREIGN.fullmatch(name) else schemas.find(name)


def check_types(
    sources: Mapping[str, Source],
    absent: frozenset[str],
    schemas: SchemaSource,
    region: str,
    managed: Managed | None,
    problems: Problems,
) -> None:
    """Report types that cannot be run here. An absent resource needs only a type that exists: nothing is made of it."""
    types = _Types(schemas, region, managed, problems)
    for source in sources.values():
        if source.spelled is None or source.is_stack or (source.name in absent and types.exists(source)):
            continue
        types.check(source.name, source.spelled, is_known=source.schema is not None)
        if source.type not in CDK_TYPES and (source.type == _CUSTOM or source.type.startswith(_CUSTOM_PREFIX)):
            _check_custom(source, problems)


def _check_custom(source: Source, problems: Problems) -> None:
    """Report a custom resource that names no service to be sent to."""
    properties = source.fields.get("Properties")
    if not isinstance(properties, Fields) or (properties.entry("ServiceToken") is None and not _is_call(properties)):
        detail = f"{source.name} has no ServiceToken: the function of Lambda, or the topic of SNS, that makes it."
        problems.add(codes.MISSING_PROPERTY, source.entry.key, detail, subject=source.name)


def _is_call(properties: Fields) -> bool:
    return any(name.startswith("Fn::") for name in properties.names)


def _type(entry: Entry, fields: Fields, problems: Problems) -> Scalar | None:
    node = fields.get("Type")
    if node is None:
        problems.add(codes.RESOURCE_WITHOUT_TYPE, entry.key, f"{entry.name} has no Type.", subject=entry.name)
        return None
    if shape.text(node, problems, "The type of a resource") is None or not isinstance(node, Scalar):
        return None
    return node


class _Types:
    """Reports the errors in the names of resource types; one report for each name."""

    def __init__(
        self,
        schemas: SchemaSource,
        region: str,
        managed: Managed | None,
        problems: Problems,
    ) -> None:
        self._schemas = schemas
        self._region = region
        self._managed = managed
        self._problems = problems
        self._hints: dict[str, str] = {}

    def exists(self, source: Source) -> bool:
        """Whether there is such a type, here or elsewhere, for Tenuto or only for CloudFormation."""
        is_foreign = bool(_FOREIGN.fullmatch(source.type))
        return source.schema is not None or is_foreign or self._schemas.is_elsewhere(source.type)

    def check(self, name: str, node: Scalar, *, is_known: bool) -> None:
        spelled = node.text
        if _FOREIGN.fullmatch(spelled):
            detail = f"{spelled} is run by CloudFormation itself, or by code that only it can call."
            hint = _MACRO if spelled.endswith("::Macro") else ""
            self._problems.add(codes.TYPE_NOT_SUPPORTED, node, detail, subject=name, hint=hint, once=spelled)
        elif not is_known and self._schemas.is_elsewhere(spelled):
            detail = f"{spelled} does not exist in {self._region}."
            self._problems.add(codes.NOT_IN_REGION, node, detail, subject=name, once=spelled)
        elif self._managed is not None and type_named(spelled) in self._managed.types:
            return
        elif not is_known:
            if spelled not in self._hints:
                is_sam = spelled.startswith(serverless.PREFIX)
                self._hints[spelled] = _SAM if is_sam else _guessed(spelled, list(self._schemas.names()))
            hint = self._hints[spelled]
            detail = f"There is no resource type {spelled}."
            self._problems.add(codes.UNKNOWN_TYPE, node, detail, subject=name, hint=hint, once=spelled)


def _guessed(spelled: str, names: Sequence[str]) -> str:
    """The hint about a type that is not known: one of the same service, or of one that is spelled nearly so."""
    service, vendor = spelled.rpartition("::")[0], spelled.partition("::")[0]
    guess = nearest(spelled, [one for one in names if one.rpartition("::")[0] == service]) or nearest(spelled, names)
    meant = guess.rpartition("::")[0]
    if guess and (not service or likeness(service.casefold(), meant.casefold()) >= _OF_A_SERVICE):
        return f"Did you mean {guess}?"
    is_of_known_vendor = any(one.partition("::")[0] == vendor for one in names)
    return _PRIVATE if service and names and not is_of_known_vendor else ""
