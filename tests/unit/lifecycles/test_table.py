"""A malformed table is refused when it is made."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest

from tenuto.errors import BugError
from tenuto.lifecycles.table import Lifecycle


class Light(StrEnum):
    RED = "red"
    GREEN = "green"
    DARK = "dark"


class Other(StrEnum):
    BLUE = "blue"


ROWS: Mapping[Any, frozenset[Any]] = {
    Light.RED: frozenset({Light.GREEN}),
    Light.GREEN: frozenset({Light.RED, Light.DARK}),
    Light.DARK: frozenset(),
}
PATHS = {Light.GREEN: (Light.RED, Light.GREEN), Light.DARK: (Light.RED, Light.GREEN, Light.DARK)}


def light(**changes: Any) -> Lifecycle:
    shape: dict[str, Any] = {
        "name": "light",
        "states": Light,
        "initial": frozenset({Light.RED}),
        "rows": ROWS,
        "final": frozenset({Light.DARK}),
        "born": Light.RED,
        "ready": Light.GREEN,
        "gone": Light.DARK,
        "change_at": Light.GREEN,
    }
    return Lifecycle(**(shape | changes))


def test_a_well_formed_table_is_made() -> None:
    assert light().allows("red", "green")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"rows": {k: v for k, v in ROWS.items() if k != Light.RED}}, "state red has no row"),
        ({"rows": {**ROWS, Other.BLUE: frozenset()}}, "row of unknown state blue"),
        ({"rows": {**ROWS, Light.RED: frozenset({Other.BLUE})}}, "red moves to blue, which is not a state"),
        ({"rows": {**ROWS, Light.RED: frozenset({Light.RED, Light.GREEN})}}, "red moves to itself"),
        ({"rows": {**ROWS, Light.DARK: frozenset({Light.RED})}}, "dark is final and has targets"),
        ({"rows": {**ROWS, Light.RED: frozenset()}}, "red has no targets and is not final"),
        ({"rows": {**ROWS, Light.GREEN: frozenset({Light.RED})}}, "never reaches a final state"),
        ({"initial": frozenset({Other.BLUE})}, "initial state blue is unknown"),
        ({"paths": {Light.DARK: (Light.GREEN,)}}, "dark names a path that does not end in it"),
        ({"paths": {Light.DARK: ()}}, "dark names a path that does not end in it"),
        ({"paths": {Light.DARK: (Light.RED, Light.DARK)}}, "path step red to dark is not in the table"),
        ({"initial": frozenset()}, "no initial state"),
        ({"final": frozenset({Light.DARK, Other.BLUE})}, "final state blue is unknown"),
        ({"errors": frozenset({Other.BLUE})}, "error state blue is unknown"),
        ({"final": frozenset(), "rows": {**ROWS, Light.DARK: frozenset({Light.RED})}}, "no final state"),
        (
            {"rows": {**ROWS, Light.GREEN: frozenset({Light.DARK}), Light.RED: frozenset({Light.DARK})}},
            "green is never reached",
        ),
        ({"born": Light.GREEN}, "born green, which is not an initial state"),
        ({"paths": PATHS, "ready": Light.DARK}, "dark is ready and final"),
        ({"ready": Other.BLUE}, "ready is blue, which is not a state"),
        ({"turnable": frozenset({Other.BLUE})}, "turnable names blue, which is not a state"),
        ({"gone": Light.GREEN}, "gone and released are green, and the final states dark"),
        ({"released": Light.GREEN}, "gone and released are dark, green"),
        ({"failed": Light.RED}, "need each other"),
        ({"failure": {Light.RED: Light.GREEN}}, "need each other"),
        ({"failed": Light.GREEN, "failure": {Light.RED: Light.GREEN}}, "green is the state of failures and may not"),
        (
            {"failed": Light.GREEN, "errors": frozenset(Light), "failure": {Light.RED: Light.DARK}},
            "a failure in red leads to dark, which is not in the table",
        ),
        (
            {"failed": Light.RED, "errors": frozenset(Light), "failure": {Light.GREEN: Light.DARK}},
            "a failure in green ends in dark and not in red",
        ),
        (
            {"failed": Light.RED, "errors": frozenset({Light.RED}), "failure": {Light.RED: Light.GREEN}},
            "leads to green, which may not carry an error message",
        ),
        ({"paths": {Light.GREEN: (Light.RED, Light.GREEN)}}, "there are paths to green, and roles that need one"),
        ({"paths": PATHS, "change_at": Light.DARK}, "a change enters dark, which is not on the way to green"),
        (
            {"paths": PATHS, "optional": frozenset({Light.GREEN})},
            "green is optional, and the table does not list red to",
        ),
        ({"optional": frozenset({Light.GREEN})}, "green is optional and on no path"),
    ],
)
def test_a_malformed_table_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(BugError, match=rf"lifecycle light: .*{problem}"):
        light(**changes)


def test_a_target_is_a_state_and_not_a_part_of_its_name() -> None:
    table = light()
    assert not table.allows("red", "gree")
    assert not table.allows("red", "")


def test_there_is_no_walk_to_a_target_without_a_path() -> None:
    with pytest.raises(BugError, match="no way from red to dark"):
        light().next_state("red", "dark")
