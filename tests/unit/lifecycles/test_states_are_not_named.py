"""No module outside `lifecycles` names a state of a table: it asks a table for a role."""

import ast
from collections.abc import Iterator
from pathlib import Path

import tenuto
from tenuto.lifecycles.catalogue import CATALOGUE

SOURCE = Path(tenuto.__file__).parent
EXEMPT = ("lifecycles", "testing")
"""The tables themselves; and the test kit, whose simulated world is about managed resources by name."""
TELLING = {
    str(state)
    for name, table in CATALOGUE.items()
    if name != "process"
    for state in table.states
    if not str(state).islower() or "-" in str(state)
}
"""The states whose text is no everyday word; `created` and `deleted` are also the names of other things."""


NAMES_OF_PROPERTIES = ("model/cloud_node.py", "providers/simulated/types.py")
"""A node has a property Configuration, and one that takes the names of two states."""


PHASES = ("providers/local/phases", "providers/simulated/object_work.py", "providers/simulated/objects.py")
"""The phases of a provider say in which states of its types they run, as those of plugins do."""


def modules() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] not in EXEMPT and not any(one in str(path) for one in PHASES):
            yield path


def test_no_module_outside_lifecycles_takes_a_state_from_an_enum() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tenuto.lifecycles")
        for alias in node.names
        if alias.name.endswith("State")
    ]
    assert found == []


def test_no_module_outside_lifecycles_writes_a_state_as_a_text() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.value}"
        for path in modules()
        if "providers/aws" not in str(path)  # An API of AWS has states of its own, with some of the same names.
        and path.name != "validations.py"  # A validation is also a rule that users write.
        and str(path.relative_to(SOURCE)) not in NAMES_OF_PROPERTIES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in TELLING
    ]
    assert found == []
