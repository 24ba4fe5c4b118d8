"""What is shipped to browsers: small, of our own, and readable in both themes."""

import re
import shlex
from importlib.resources import files

import click
import pytest

from tenuto.cli.root import root

STATIC = files("tenuto.web").joinpath("static")
TEMPLATES = files("tenuto.web").joinpath("templates")
CSS = STATIC.joinpath("app.css").read_text(encoding="utf-8")
TEXTS = ("text", "quiet", "accent", "ok", "warn", "bad", "hold", "work", "swap")
GROUNDS = ("ground", "surface", "raised", "calm-ground")
OWN = {name: f"{name}-ground" for name in ("ok", "warn", "bad", "hold", "work", "swap")}


def tokens(theme: str) -> dict[str, str]:
    found = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS)
    return {name: light if theme == "light" else dark for name, light, dark in found}


def light_of(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((light_of(one), light_of(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read_on_every_ground(theme: str) -> None:
    known = tokens(theme)
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + list(OWN.items())
    pairs += [("text", ground) for ground in OWN.values()] + [("accent-text", "accent"), ("accent-text", "bad")]
    pairs += [("quiet", ground) for ground in OWN.values()]  # The types and ids in a message, and the kind of a box.
    weak = {pair: round(contrast(known[pair[0]], known[pair[1]]), 2) for pair in pairs}
    assert {pair: found for pair, found in weak.items() if found < 4.5} == {}


def test_the_shipped_files_stay_small() -> None:
    sizes = {one.name: len(one.read_bytes()) for one in STATIC.iterdir() if one.is_file()}
    assert sum(size for name, size in sizes.items() if name.endswith(".js")) < 30_000
    assert sizes["app.css"] <= 20 * 1024


def test_every_class_of_the_stylesheet_is_on_a_page() -> None:
    """A class that is put together of two words counts by the words that stand in a template or a module."""
    pages = "".join(one.read_text(encoding="utf-8") for one in TEMPLATES.iterdir())
    scripts = "".join(one.read_text(encoding="utf-8") for one in STATIC.iterdir() if one.name.endswith(".js"))
    modules = files("tenuto.web").joinpath("rendering.py").read_text(encoding="utf-8")
    used = set(re.findall(r"[A-Za-z][\w-]*", pages + scripts + modules))
    styled = set(re.findall(r"\.([A-Za-z][\w-]*)", re.sub(r"/\*.*?\*/", "", CSS)))
    made = {name for name in styled if name.startswith(("op-", "entry-", "verdict-", "tile-"))} | {
        f"n{depth}" for depth in range(9)
    }
    assert styled - made - used == set()
    prefixes = {name.partition("-")[0] for name in made if "-" in name}
    assert {one for one in prefixes if f"{one}-" not in pages} == set()


def test_nothing_names_another_origin() -> None:
    for one in (*STATIC.iterdir(), *TEMPLATES.iterdir()):
        found = re.findall(r"https?://[^\"' )]+", one.read_text(encoding="utf-8"))
        assert [url for url in found if url not in ("http://www.w3.org/2000/svg", "https://example.org/hook")] == [], (
            one.name
        )


def test_no_template_marks_anything_as_safe() -> None:
    for one in TEMPLATES.iterdir():
        text = one.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|style=|<script>|\son\w+=", text), one.name


def test_each_command_that_a_page_tells_can_be_typed() -> None:
    """The words and options of every line that a template names, by the command line itself."""
    lines = {
        line
        for one in TEMPLATES.iterdir()
        for line in re.findall(r"tenuto ([a-z][\w-]*(?: [^\"<`{}~]*)?)[\"<`]", one.read_text(encoding="utf-8"))
    }
    for one in TEMPLATES.iterdir():
        for command, rest in re.findall(r'line\("([a-z -]+)"([^()]*)\)', one.read_text(encoding="utf-8")):
            options = [f"--{name}".replace("_", "-") for name in re.findall(r"(\w+)=", rest)]
            lines.add(" ".join((command, *options)))
    assert len(lines) > 10
    for line in lines:
        command: click.Command = root
        for word in shlex.split(line):
            if isinstance(command, click.Group):
                found = command.get_command(click.Context(command), word)
                assert found is not None, f"tenuto {line}: there is no command {word}"
                command = found
        given = [word for word in shlex.split(line) if word.startswith("-")]
        options = {name for one in command.params for name in one.opts}
        assert [word for word in given if word not in options] == [], f"tenuto {line}"
