"""The language of the house, as far as a test can hold it (STYLE, "Language")."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tenuto"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if "testing" not in path.parts)
TESTING = sorted((ROOT / "testing" / "src").rglob("*.py"))
SENTENCE = re.compile(r"(?<=[.;:])\s")
CODE = re.compile(r"`[^`]*`")
FRAGMENT = re.compile(
    r"(What|Whoever|Whatever|Whose|Who|Which|When|Where|Why|How|Since|Somebody|Something|Nobody|Another"
    r"|By|As|Of|For|From|In|On|At|To|Under|With|Without|Up|Those|Everything|Nothing|It|Its|They|The same|No|None|Not"
    r"|Neither|Both|Any|Some|There|Always|Never|Only|Once|Twice|So|Safe|Thread-safe)\b"
)
"""A docstring that begins so leaves out its noun or its verb. `Whether` may begin that of a function that tells it."""
QUESTION = re.compile(r"(How|What|Where|Whether|Who|Whose|When|Which|Why|Whoever|Whatever)\b")
"""A note of a field or a constant that begins so has no noun: "Seconds between two sweeps." is one that has."""
HEADLESS = re.compile(
    r"\b(what|whoever|whatever|whichever|somebody|nobody|someone|anybody|anyone|everybody|stranger)\b", re.IGNORECASE
)
"""Words in place of a noun: a first sentence names the thing. Later ones may ask ("the message says what to do")."""
RIDDLES = re.compile(r"\b(somebody|nobody|whoever|stranger|looked at)\b", re.IGNORECASE)
"""Words for which the field has a better one, in a message: a user, another writer, observed."""
MODULE = re.compile(r"`((?:core|lifecycles)\.[a-z_]+(?:\.[A-Za-z_]+)*)`")
"""A module of the heart, as docstrings name it."""
ROW = re.compile(r"^\| (?P<words>[^|]+?) \| [^|]+ \|$")


Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@cache
def _tree(path: Path) -> ast.Module:
    """The module as a tree. All tests of this file read the same."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text of a module that is no docstring and no note behind a constant, with its line."""
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.lineno, node.value


def test_a_module_docstring_begins_with_a_noun() -> None:
    told = {_name(path): ast.get_docstring(_tree(path)) or "" for path in MODULES}
    assert len(told) > 300
    assert [f"{name}: {text.splitlines()[0]}" for name, text in told.items() if FRAGMENT.match(text)] == []


def _documented(path: Path) -> Iterator[tuple[Documented, str]]:
    """Every function and class of a module that has a docstring, with that."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and (
            text := ast.get_docstring(node)
        ):
            yield node, text


def test_the_docstring_of_a_function_or_class_begins_with_a_noun_or_a_verb() -> None:
    told = [(path, node, text) for path in MODULES for node, text in _documented(path)]
    assert len(told) > 2000
    assert [
        f"{_name(path)}:{node.lineno} {node.name}: {text.splitlines()[0]}"
        for path, node, text in told
        if FRAGMENT.match(text)
    ] == []


def test_the_first_sentence_of_a_docstring_names_its_things() -> None:
    """Those of commands are lines of the help, which tell people what a command does."""
    code = [path for path in (*MODULES, *TESTING) if "commands" not in path.parts or "cli" not in path.parts]
    told = [(path, 1, ast.get_docstring(_tree(path)) or "") for path in code]
    told += [(path, node.lineno, text) for path in code for node, text in _documented(path)]
    firsts = [(path, line, SENTENCE.split(text)[0]) for path, line, text in told]
    assert [f"{path}:{line}: {first}" for path, line, first in firsts if HEADLESS.search(CODE.sub("", first))] == []


def _notes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text behind a field or a constant, with its line."""
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else []
        for one, after in pairwise(body):
            if isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
                text = after.value.value if isinstance(after.value, ast.Constant) else None
                if isinstance(text, str):
                    yield after.lineno, text


def test_the_note_of_a_field_or_constant_begins_with_a_noun() -> None:
    told = [(path, *note) for path in MODULES for note in _notes(_tree(path))]
    assert len(told) > 500
    assert [f"{_name(path)}:{line}: {text}" for path, line, text in told if QUESTION.match(text)] == []


def test_code_says_sweep_and_not_look() -> None:
    """A look-up by a key is another thing, and may be named so."""
    named = re.compile(r"\b\w*(?:_looks?|_LOOKS?|[a-z]Looks?)(?:_(?!up)\w*)?\b(?!-)")
    found = {
        f"{_name(path)}: {word[0]}" for path in MODULES for word in named.finditer(path.read_text(encoding="utf-8"))
    }
    assert sorted(found) == []


@pytest.mark.parametrize("text", ["By name.", "The same for many.", "It exists.", "No more jobs.", "As `end` does."])
def test_a_fragment_is_told_from_a_sentence(text: str) -> None:
    assert FRAGMENT.match(text)
    assert not FRAGMENT.match(f"Return the accounts. {text}")


def test_a_message_names_who_did_what() -> None:
    riddles = [
        f"{_name(path)}:{line}: {text}"
        for path in MODULES
        for line, text in _texts(_tree(path))
        if " " in text.strip() and RIDDLES.search(text)
    ]
    assert riddles == []


def test_a_module_that_a_text_names_is_there() -> None:
    """Modules move; the docstrings and pages that point to them must follow."""
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("testing/src/**/*.py"), *ROOT.glob("docs/guide/*.md")]
    named = {one for file in files for one in MODULE.findall(file.read_text(encoding="utf-8"))}
    assert len(named) > 20
    assert sorted(one for one in named if not _is_there(one)) == []


def _is_there(dotted: str) -> bool:
    """Whether a dotted name leads to a module or a package, or to something within one."""
    parts = dotted.split(".")
    places = [SOURCE.joinpath(*parts[:length]) for length in range(2, len(parts) + 1)]
    return any(place.with_suffix(".py").exists() or (place.is_dir() and place == places[-1]) for place in places)


def _glossary() -> list[str]:
    rows = (ROW.match(line) for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines())
    return [word for row in rows if row and row["words"] != "word" for word in row["words"].split(", ")]


def test_the_glossary_has_each_word_once_in_order() -> None:
    words = _glossary()
    assert len(words) > 40
    assert len(set(words)) == len(words)
    first = [row.casefold() for row in words if row not in ("observed", "recorded", "target")]
    assert first == sorted(first)
