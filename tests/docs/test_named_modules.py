"""A module that a text names is there: a docstring, a comment, or a page of the documentation."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tenuto"
_WITH_ROOMS = "api|bootstrap|cli|compositions|conductor|core|service|storage"
_DOTTED = re.compile(rf"`((?:lifecycles|model|ports)\.[a-z_.]+[a-z_]|(?:{_WITH_ROOMS})(?:\.[a-z_]+){{2,}})`")
_PATH = re.compile(rf"(?<!tests/unit/)(?<!tests/)\b((?:{_WITH_ROOMS})(?:/[a-z_]+)+\.py)\b")


def texts() -> Iterator[Path]:
    yield from sorted(SOURCE.rglob("*.py"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, a package, or something in a module."""
    parts = name.split(".")
    path = SOURCE.joinpath(*parts)
    inside = SOURCE.joinpath(*parts[:-1]).with_suffix(".py")
    return path.is_dir() or path.with_suffix(".py").is_file() or (inside.is_file() and parts[-1] in inside.read_text())


def test_each_named_module_exists() -> None:
    gone = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts()
        for text in [path.read_text()]
        for name in [
            *_DOTTED.findall(text),
            *(found.removesuffix(".py").replace("/", ".") for found in _PATH.findall(text)),
        ]
        if not is_there(name)
    ]
    assert not gone, "\n".join(gone)
