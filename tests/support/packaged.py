"""A template as `sam package` would write it, where the code that it names is not at hand.

Copies of public templates come without the folders of their functions, and a path cannot be run: so each path of code
is given the address of one archive, which holds a program that does nothing, and each path of a text of a GraphQL API
that of a schema, which is as good as any code. What is read and not uploaded (the definition of an API or of a state
machine, a nested template) is left as it is.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

BUCKET, KEY, TEXT_KEY = "corpus-code-123456789012-us-east-1", "code.zip", "schema.graphql"
TEXT = b"type Query { nothing: String }"
_GRAPHQL = ("AWS::AppSync::", "AWS::Serverless::GraphQLApi")
_TEXTS = re.compile(r"(SchemaUri|CodeUri|S3Location)$")
_IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/corpus:latest"
_SERVERLESS = "AWS::Serverless::"
_CODE = {
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::Serverless::Function": "CodeUri",
    "AWS::Serverless::LayerVersion": "ContentUri",
}
_INSTEAD = ("InlineCode", "ImageUri")
_PROGRAMS = ("index.py", "app.py", "lambda_function.py", "index.js", "app.js", "index.mjs")


def archive() -> bytes:
    """A program that does nothing, under the names that functions usually have."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as made:
        for name in _PROGRAMS:
            made.writestr(name, "")
    return into.getvalue()


def packaged(path: Path) -> str | None:
    """The text of the template with addresses in place of paths of code; None where it names no path."""
    yaml = YAML()
    yaml.width, yaml.allow_duplicate_keys = 4096, True
    try:
        document = yaml.load(path.read_text(encoding="utf-8"))
    except (YAMLError, ValueError, OSError):
        return None  # The compiler tells of it.
    if not isinstance(document, dict):
        return None
    changed = [_package(*one) for one in list(_places(document))]
    resources = document.get("Resources")
    for one in resources.values() if isinstance(resources, dict) else ():
        if isinstance(one, dict) and str(one.get("Type", "")).startswith(_GRAPHQL):
            changed.append(_place_texts(one.get("Properties")) > 0)
    if not any(changed):
        return None
    if path.suffix == ".json":
        return json.dumps(document, indent=1)  # The compiler reads a file of this name as JSON alone.
    into = io.StringIO()
    yaml.dump(document, into)
    return into.getvalue()


def _places(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each type with the properties of one resource, or those of Globals, and what Globals gives it besides."""
    shared = document.get("Globals")
    common = {f"{_SERVERLESS}{name}": one for name, one in shared.items()} if isinstance(shared, dict) else {}
    yield from ((kind, one, {_CODE.get(kind, ""): ""}) for kind, one in common.items() if isinstance(one, dict))
    resources = document.get("Resources")
    for one in resources.values() if isinstance(resources, dict) else ():
        kind = str(one.get("Type", "")) if isinstance(one, dict) else ""
        if kind in _CODE:
            given = common.get(kind)
            properties = one.setdefault("Properties", {}) if kind.startswith(_SERVERLESS) else one.get("Properties")
            if isinstance(properties, dict):
                yield kind, properties, given if isinstance(given, dict) else {}


def _place_texts(value: Any) -> int:
    """Put an address in place of each path of a text, however deep; how many there were."""
    if isinstance(value, list):
        return sum(map(_place_texts, value))
    if not isinstance(value, dict):
        return 0
    paths = [name for name, one in value.items() if _TEXTS.search(str(name)) and _is_path(one)]
    value.update(dict.fromkeys(paths, f"s3://{BUCKET}/{TEXT_KEY}"))
    return len(paths) + sum(map(_place_texts, value.values()))


def _is_path(value: Any) -> bool:
    is_plain = isinstance(value, str) and not hasattr(value, "tag_value")
    return is_plain and not value.startswith(("s3://", "https://"))


def _package(kind: str, properties: dict[str, Any], given: dict[str, Any]) -> bool:
    """Put an address in place of a path; whether there was one."""
    name = _CODE.get(kind)
    if name is None:
        return False
    if "Image" in (properties.get("PackageType"), given.get("PackageType")):
        image = "Code" if name == "Code" else "ImageUri"
        if image in properties or image in given or name in given:
            return False
        properties[image] = {"ImageUri": _IMAGE} if image == "Code" else _IMAGE
        return True
    code = properties.get(name)
    is_missing = code is None and name == "CodeUri" and not any(one in properties for one in (*_INSTEAD, "Image"))
    if not _is_path(code) and not (is_missing and not any(one in given for one in (name, *_INSTEAD))):
        return False
    plain = {"S3Bucket": BUCKET, "S3Key": KEY}
    properties[name] = plain if kind.startswith("AWS::Lambda") else f"s3://{BUCKET}/{KEY}"
    return True
