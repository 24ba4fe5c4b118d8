"""Resource type schemas: the properties of a type, those of them that can change, and its attributes.

Theory of operation. AWS publishes a JSON schema for each resource type; the `cfn-lint` package carries all of them as
plain files, corrected and up to date, one index per region. They are read here as data, one type at a time and only
when it is used: the package's own code is never imported, since that alone would cost more than a compilation. Other
providers publish theirs themselves (`provided`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from tenuto.errors import BugError
from tenuto.model.cloud_node import SCHEMA as NODE_SCHEMA
from tenuto.model.cloud_node import type_named
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.serverless_application import SCHEMA as APPLICATION_SCHEMA

HOME_REGION = "us-east-1"
"""The region that has every type; its index stands in for regions that we have no index of."""


_CORRECTED: Mapping[str, JsonMap] = {
    "AWS::EC2::SecurityGroup": {"dependentRequired": {}},
    "AWS::RDS::DBCluster": {"dependentRequired": {}},
}
"""Rules of the package that AWS does not have. A group with egress rules and no VPC is made in the default one. A
cluster that is restored takes a new password, and the name of its user from the snapshot: where one is new,
`property_rules` asks for the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeSchema:
    """The facts of one resource type. Paths of nested properties are dotted, `*` stands for each list item."""

    name: TypeName
    document: JsonMap = field(default_factory=dict)
    """The schema as it was published; empty when there is none, and then nothing is checked."""
    properties: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    create_only: frozenset[str] = frozenset()
    read_only: frozenset[str] = frozenset()
    write_only: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    """The attributes that `Fn::GetAtt` always returns."""
    primary_identifier: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether properties beside those of the schema may be declared."""
        return self.document.get("additionalProperties") is True

    @property
    def plain_attributes(self) -> tuple[str, ...]:
        """The attributes to name to people: those that are not part of another one, when there are such."""
        return tuple(sorted(name for name in self.attributes if "." not in name) or sorted(self.attributes))

    def has_attribute(self, name: str) -> bool:
        """Whether `Fn::GetAtt` may ask for it. Many types also return their properties, so every one counts."""
        if not self.document or name in self.attributes or self.is_open:
            return True
        node: JsonMap = self.document
        for part in name.split("."):
            node = follow(node, self.document)
            properties = node.get("properties")
            if not isinstance(properties, Mapping) or node.get("patternProperties"):
                return node.get("type") != "string"
            if part not in properties:
                return False
            node = properties[part]
        return True


class SchemaSource(Protocol):
    """A source of resource types for the compiler."""

    def find(self, name: str) -> TypeSchema | None:
        """The schema of a type; None when there is no such type here. The same answer every time."""
        ...

    def names(self) -> Sequence[str]:
        """Every type that has a name here, for suggestions; sorted."""
        ...

    def is_elsewhere(self, name: str) -> bool:
        """Whether the type exists, but not in this region."""
        ...


class AwsSchemas:
    """The published types of one AWS region. A region without an index has the types of the home region."""

    def __init__(self, region: str) -> None:
        self._region = region if (_folder() / "providers" / f"{region}.json").is_file() else HOME_REGION

    def find(self, name: str) -> TypeSchema | None:
        digest = _index(self._region).get(name)
        return _load(digest) if digest else None

    def names(self) -> Sequence[str]:
        return sorted(_index(self._region))

    def is_elsewhere(self, name: str) -> bool:
        return name in _index(HOME_REGION) and name not in _index(self._region)


class OwnSchemas:
    """The types whose schemas are Tenuto's own: machines, in both of their spellings, and applications of SAM."""

    def find(self, name: str) -> TypeSchema | None:
        return _own().get(type_named(name))

    def names(self) -> Sequence[str]:
        return sorted(_own())

    def is_elsewhere(self, name: str) -> bool:
        return False


@lru_cache(maxsize=1)
def _own() -> Mapping[TypeName, TypeSchema]:
    return {found.name: found for found in map(schema_of, (NODE_SCHEMA, APPLICATION_SCHEMA))}


class Schemas:
    """Several sources, asked in order."""

    def __init__(self, sources: Sequence[SchemaSource]) -> None:
        self._sources = tuple(sources)

    def find(self, name: str) -> TypeSchema | None:
        return next((found for source in self._sources if (found := source.find(name)) is not None), None)

    def names(self) -> Sequence[str]:
        return sorted({name for source in self._sources for name in source.names()})

    def is_elsewhere(self, name: str) -> bool:
        return any(source.is_elsewhere(name) for source in self._sources)


def follow(rule: JsonMap, document: JsonMap) -> JsonMap:
    """The rule itself, or the definition that it points to."""
    seen = 0
    while isinstance(rule.get("$ref"), str) and seen < 16:
        node: Json = document
        for part in str(rule["$ref"]).removeprefix("#/").split("/"):
            node = node.get(part) if isinstance(node, Mapping) else None
        rule = node if isinstance(node, Mapping) else {}
        seen += 1
    return rule


@lru_cache(maxsize=1)
def _folder() -> Path:
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise BugError("the package cfn-lint, which carries the resource schemas, is not installed with Tenuto")
    return Path(spec.submodule_search_locations[0]) / "data" / "schemas"


def shared_schema(name: str) -> dict[str, Json]:
    """A schema of something in a property that is no type: `iam/policy_trust`. It is the caller's own."""
    found: dict[str, Json] = json.loads((_folder() / "other" / f"{name}.json").read_bytes())
    return found


@lru_cache(maxsize=8)
def _index(region: str) -> Mapping[str, str]:
    index: Mapping[str, str] = json.loads((_folder() / "providers" / f"{region}.json").read_bytes())
    return index


@lru_cache(maxsize=256)
def _load(digest: str) -> TypeSchema:
    document = json.loads((_folder() / "resources" / f"{digest}.json").read_bytes())
    return schema_of({**document, **_CORRECTED.get(document["typeName"], {})})


def schema_of(document: JsonMap) -> TypeSchema:
    """The facts of a schema, in the form in which CloudFormation publishes them."""
    read_only = _paths(document, "readOnlyProperties")
    return TypeSchema(
        name=TypeName(document["typeName"]),
        document=document,
        properties=frozenset(document.get("properties", ())),
        required=frozenset(document.get("required", ())),
        create_only=_paths(document, "createOnlyProperties"),
        read_only=read_only,
        write_only=_paths(document, "writeOnlyProperties"),
        attributes=frozenset(path for path in read_only if "*" not in path),
        primary_identifier=tuple(_dotted(document.get("primaryIdentifier", ()))),
    )


def _paths(document: JsonMap, key: str) -> frozenset[str]:
    return frozenset(_dotted(document.get(key, ())))


def _dotted(pointers: Sequence[str]) -> Iterator[str]:
    for pointer in pointers:
        yield pointer.removeprefix("/").removeprefix("properties/").replace("/properties/", "/").replace("/", ".")
