"""Templates of AWS SAM: translated by the published library, on this machine, before the rest is compiled.

Theory of operation. `AWS::Serverless-2016-10-31` is a program inside CloudFormation; AWS publishes it as the package
`aws-sam-translator`, which works on plain JSON and needs no account. Its result is put back into a tree with places: a
part that the template has, too, stands where it stood, and a resource that the translator made stands at the resource
that it was made for. Files of definitions are read here; code is not, since it has to be in a bucket before a function
can be made of it. Applications of the Serverless Application Repository stay as they are: the translator would ask the
repository for their templates, and Tenuto has a type of its own for them.
"""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from types import SimpleNamespace

from tenuto.compositions.cloudformation.dialects.packaging import PACKAGE
from tenuto.compositions.cloudformation.reading import local_files
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Node, Scalar, as_written, scalar, to_json
from tenuto.compositions.diagnostics.problems import Problems, sentence
from tenuto.compositions.template_files import read_text
from tenuto.model.ids import Json, JsonMap

PREFIX = "AWS::Serverless::"
TRANSFORM = "AWS::Serverless-2016-10-31"
_PLACEHOLDER = "s3://not-packaged/not-packaged"
"""The address of code that is not in a bucket, so that the rest of the template can be translated and judged."""
_CODE = {"Function": "CodeUri", "LayerVersion": "ContentUri"}
_UNTOUCHED = ("Parameters", "Mappings", "Metadata", "Rules")
"""Sections that the translator leaves as they are. Of parameters it is not shown everything."""
_DEFINITIONS = {"Api": "DefinitionBody", "HttpApi": "DefinitionBody", "StateMachine": "Definition"}
"""Types whose DefinitionUri may be a file, and the property that takes its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A complaint of the translator about a resource; about the whole template where it names none."""

    resource: str
    message: str


class TranslationError(Exception):
    """The translator cannot make anything of the template. Never leaves this module."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(one.message for one in faults))
        self.faults = faults


Translator = Callable[[JsonMap, Mapping[str, str], str], JsonMap]
"""Translates a template, with its parameter values, for a region. Raises TranslationError."""


def installed_translator() -> Translator | None:
    """The translator of the package `aws-sam-translator`; None where it is not installed."""
    try:
        from samtranslator.model.exceptions import InvalidDocumentException
        from samtranslator.parser.parser import Parser
        from samtranslator.translator.translator import Translator as Published
    except ImportError:
        return None
    # It counts its work, and complains that no program collects the numbers.
    logging.getLogger("samtranslator").setLevel(logging.CRITICAL)

    def translate(template: JsonMap, parameters: Mapping[str, str], region: str) -> JsonMap:
        # The session is asked for its region only: nothing is ever called.
        published = Published(None, Parser(), boto_session=SimpleNamespace(region_name=region))
        try:
            made: JsonMap = published.translate(template, dict(parameters), get_managed_policy_map=dict)
        except InvalidDocumentException as failed:
            faults = tuple(Fault(resource=_subject(one), message=one.message) for one in failed.causes)
            raise TranslationError(faults) from failed
        except Exception as failed:  # a template that is no SAM template breaks it in many ways
            raise TranslationError((Fault(resource="", message=f"{type(failed).__name__}: {failed}"),)) from failed
        return made

    return translate


def _subject(cause: object) -> str:
    named = getattr(cause, "_logical_id", "")
    return named if isinstance(named, str) else ""


class Serverless:
    """Translates one template. `parameters` are the values that may be written down."""

    def __init__(
        self,
        translator: Translator | None,
        *,
        file: str,
        region: str,
        parameters: Mapping[str, Json],
        problems: Problems,
    ) -> None:
        self._translator = translator
        self._folder = PurePath(file).parent
        self._region = region
        self._parameters = parameters
        self._problems = problems

    def translated(self, root: Fields) -> Fields | None:
        """The template as the translator writes it; None, reported, when it cannot."""
        named = root.get("Transform") or root
        if self._translator is None:
            detail = f"{TRANSFORM} is translated by the package aws-sam-translator, which is not installed."
            self._problems.add(codes.NO_TRANSLATOR, named, detail, subject=TRANSFORM)
            return None
        prepared = self._prepared(root)
        fragment = _fragment(prepared)
        if not fragment.get("Resources"):
            return without_globals(prepared)
        try:
            made = self._translator(fragment, self._texts(), self._region)
        except TranslationError as failed:
            for fault in failed.faults:
                self._report(fault, prepared, named)
            return None
        return _rebuilt(made, prepared)

    def _texts(self) -> dict[str, str]:
        found = {}
        for name, value in self._parameters.items():
            if isinstance(value, str):
                found[name] = value
            elif isinstance(value, list) and all(isinstance(one, str) for one in value):
                found[name] = ",".join(value)
        return found

    def _report(self, fault: Fault, root: Fields, named: Node) -> None:
        resources = root.get("Resources")
        entry = resources.entry(fault.resource) if isinstance(resources, Fields) else None
        at = entry.key if entry is not None else named
        self._problems.add(codes.NOT_TRANSLATED, at, sentence(fault.message), subject=fault.resource)

    def _prepared(self, root: Fields) -> Fields:
        """The template with the content of files in place of their paths, and without addresses of unpackaged code."""
        entries = []
        for entry in root.entries:
            value = entry.value
            if entry.name == "Resources" and isinstance(value, Fields):
                value = replace(value, entries=tuple(map(self._resource, value.entries)))
            elif entry.name == "Globals" and isinstance(value, Fields):
                value = replace(value, entries=tuple(self._global(one) for one in value.entries))
            entries.append(replace(entry, value=value))
        return replace(root, entries=tuple(entries))

    def _global(self, entry: Entry) -> Entry:
        kind = entry.name
        if not isinstance(entry.value, Fields) or kind not in _CODE:
            return entry
        return replace(entry, value=self._properties(f"Globals.{kind}", kind, entry.value))

    def _resource(self, entry: Entry) -> Entry:
        kind = _kind(entry.value)
        properties = entry.value.entry("Properties") if isinstance(entry.value, Fields) else None
        if not kind or properties is None or not isinstance(properties.value, Fields):
            return entry
        inner = replace(properties, value=self._properties(entry.name, kind, properties.value))
        assert isinstance(entry.value, Fields)
        whole = tuple(inner if one is properties else one for one in entry.value.entries)
        return replace(entry, value=replace(entry.value, entries=whole))

    def _properties(self, name: str, kind: str, properties: Fields) -> Fields:
        if kind == "Function" and _word(properties, "PackageType") == "Image":
            return properties  # A function of an image has its code in it, and the translator leaves CodeUri out.
        return replace(properties, entries=tuple(self._property(name, kind, one) for one in properties.entries))

    def _property(self, name: str, kind: str, entry: Entry) -> Entry:
        path = entry.value
        if not isinstance(path, Scalar) or not path.text or path.text.lower().startswith(("s3://", "https://")):
            return entry
        if entry.name == _CODE.get(kind):
            detail = f"{entry.name} of {name} is {path.text}, a path on this machine: functions run code from a bucket."
            self._problems.add(codes.NOT_PACKAGED, path, detail, subject=name, hint=PACKAGE)
            return replace(entry, value=scalar(_PLACEHOLDER, path.position))
        if entry.name == "DefinitionUri" and kind in _DEFINITIONS:
            content = self._content(name, path)
            if content is None:
                # The translator would tell of the path again, and call it a malformed address.
                return replace(entry, value=scalar(_PLACEHOLDER, path.position))
            return Entry(key=replace(entry.key, value=_DEFINITIONS[kind], text=_DEFINITIONS[kind]), value=content)
        return entry

    def _content(self, name: str, path: Scalar) -> Fields | None:
        file = Path(os.path.normpath(self._folder / path.text))
        if not file.is_file():
            detail = f"The definition of {name} is {file}, which is no file."
            hint = local_files.closest(file) or "Correct the path."
            self._problems.add(codes.NOT_PACKAGED, path, detail, subject=name, hint=hint)
            return None
        reading = self._problems.other(str(file), "")
        text = read_text(file, reading)
        if text is None:
            return None
        self._problems.learn(str(file), text)
        return read(text, self._problems.other(str(file), text))


def _word(node: Node, name: str) -> str:
    """The text of a member; empty where it is not there, or no text."""
    found = node.get(name) if isinstance(node, Fields) else None
    return found.text if isinstance(found, Scalar) else ""


def _kind(resource: Node) -> str:
    """The last part of the type of a resource of SAM; empty for any other."""
    text = _word(resource, "Type")
    return text.removeprefix(PREFIX) if text.startswith(PREFIX) else ""


def _fragment(root: Fields) -> JsonMap:
    """The template as the translator takes it. Defaults of secrets stay out, or it would write them down; applications
    of a repository, too, or it would call that."""
    whole: JsonMap = {name: _long(value) for name, value in to_json(root).items()}
    declared, resources = (one if isinstance(one, dict) else {} for one in map(whole.get, ("Parameters", "Resources")))
    for one in declared.values():
        if isinstance(one, dict) and str(one.get("NoEcho", "")).lower() == "true":
            one.pop("Default", None)
    for entry in _applications(root):
        del resources[entry.name]
    return whole


def _applications(root: Fields) -> tuple[Entry, ...]:
    """The resources that are applications of a repository."""
    resources = root.get("Resources")
    return tuple(filter(_is_application, resources.entries)) if isinstance(resources, Fields) else ()


def _is_application(entry: Entry) -> bool:
    properties = entry.value.get("Properties") if isinstance(entry.value, Fields) else None
    location = properties.get("Location") if isinstance(properties, Fields) else None
    return _kind(entry.value) == "Application" and isinstance(location, Fields) and "ApplicationId" in location.names


def _long(value: Json) -> Json:
    """The value with the attributes of `Fn::GetAtt` as lists, as the translator knows them."""
    if isinstance(value, list):
        return [_long(one) for one in value]
    if not isinstance(value, dict):
        return value
    attribute = value.get("Fn::GetAtt")
    if len(value) == 1 and isinstance(attribute, str) and "." in attribute:
        return {"Fn::GetAtt": attribute.split(".", 1)}
    return {name: _long(one) for name, one in value.items()}


def _rebuilt(made: JsonMap, root: Fields) -> Fields:
    """The translated template as a tree, each part as near as possible to its source."""
    source = root.get("Resources")
    names = sorted(source.names, key=len, reverse=True) if isinstance(source, Fields) else []
    entries = []
    for name, value in made.items():
        section = root.entry(name)
        at = section.key.position if section else root.position
        if name == "Resources" and isinstance(value, dict) and isinstance(source, Fields):
            members = tuple(_resource(one, resource, source, names) for one, resource in value.items())
            node: Node = Fields(entries=(*members, *_applications(root)), position=source.position)
        elif section is not None and name in _UNTOUCHED:
            node = section.value
        else:
            node = as_written(value, at, section.value if section else None)
        entries.append(Entry(key=section.key if section else scalar(name, at), value=node))
    return without_globals(Fields(entries=tuple(entries), position=root.position))


def without_globals(root: Fields) -> Fields:
    """The template without the section that only SAM knows."""
    return replace(root, entries=tuple(entry for entry in root.entries if entry.name != "Globals"))


def _resource(name: str, value: Json, source: Fields, names: list[str]) -> Entry:
    entry = source.entry(name)
    nearest = entry or next((source.entry(one) for one in names if name.startswith(one)), None)
    key = nearest.key if nearest else scalar(name, source.position)
    return Entry(
        key=replace(key, value=name, text=name),
        value=as_written(value, key.position, entry.value if entry else None),
    )
