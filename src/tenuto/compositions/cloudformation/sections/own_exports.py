"""Exports that a composition imports itself: nested templates pass values to each other like that.

An export of a process can be imported by others once the process has made its target, so one that it imports itself
would be waited for without end. Within one composition the value is known by its expression, and takes the place of the
import. Names are compared as they are written down: texts, or equal expressions.

An export may not pass on what its composition imports from another process. The original of a replaced thing stays
until its importers use the new value, and a kill is refused while there are any: both ask for the importers of a name,
not for those behind a second name. CloudFormation accepts such an export. An output without an export may show one.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Node
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.core.language.expressions import is_mapping, replacing
from tenuto.core.language.resolve import IMPORT, is_importing, referenced_resources
from tenuto.model.composition import Declaration, Output
from tenuto.model.ids import Json, LogicalId


def exports_of(outputs: Iterable[Output], problems: Problems) -> dict[str, Json]:
    """The value of each export by its name, as JSON. A name that is used twice is reported."""
    found: dict[str, Json] = {}
    for one in outputs:
        if one.export is None:
            continue
        name = _key(one.export)
        if name in found and isinstance(one.export, str):
            detail = f"{one.export} is exported by more than one of the nested templates."
            problems.add(codes.DUPLICATE_EXPORT, None, detail, subject=one.name, once=name)
        found[name] = one.value
    return found


def importing(declaration: Declaration, exports: Mapping[str, Json]) -> Declaration:
    """The declaration with the values of the composition's own exports in place of their imports."""
    properties = _replaced(declaration.properties, exports)
    if properties == declaration.properties:
        return declaration
    needed = {LogicalId(name) for name in referenced_resources(properties)}
    depends_on = tuple(sorted({*declaration.depends_on, *needed}))
    return replace(declaration, properties=properties, depends_on=depends_on)


def output_importing(output: Output, exports: Mapping[str, Json]) -> Output:
    """The output likewise."""
    return replace(output, value=_replaced(output.value, exports))


def check_passed_on(outputs: Iterable[Output], section: Node | None, problems: Problems) -> None:
    """Report each export that passes an import on. `section` are the outputs as they are written down."""
    for one in outputs:
        if one.export is None or not is_importing(one.value):
            continue
        fields = section.get(one.name) if isinstance(section, Fields) else None
        node = fields.get("Value") if isinstance(fields, Fields) else None
        detail = f"{one.name} is exported, and its value is imported from another process."
        problems.add(codes.EXPORT_OF_IMPORT, node, detail, subject=one.name)


def _replaced(value: Json, exports: Mapping[str, Json]) -> Json:
    def exported(one: Json) -> Json:
        is_import = is_mapping(one) and len(one) == 1 and IMPORT in one
        return exports.get(_key(one[IMPORT]), one) if is_import else None

    return replacing(value, exported)


def _key(name: Json) -> str:
    return json.dumps(name, sort_keys=True)
