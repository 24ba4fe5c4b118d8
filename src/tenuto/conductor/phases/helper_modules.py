"""Modules that lie beside plugins in their folder, made importable, and read again when plugins are reloaded.

Theory of operation. A plugin that needs more than one file imports its neighbours by name (`import acme`). A finder at
the end of `sys.meta_path` looks for them in the plugin folders: an installed module of the same name goes first, so
that no file of a folder can replace a part of Tenuto. Of two folders with one name, the one given first is read.

Python keeps imported modules and their compiled form. `read_again` takes helper modules out of `sys.modules` for a
reload, and their compiled form is not kept at all: it is told from the source by a second and a size, which two edits
may share. A helper that cannot be imported any more is put back, since plugins that stay in force may import it again.

A helper of a broken file is imported by nothing, so `named_by` finds it in the text of that file.

The finder is a part of the interpreter and not of one Conductor; so are imported modules.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

PLUGIN_MODULE = "tenuto_plugin_"
"""The beginning of the names of modules that are plugin files, which are not imported by these names."""

_WORD = re.compile(r"\w+")


class UncachedLoader(SourceFileLoader):
    """A loader of source files that neither reads nor writes their compiled form."""

    def path_stats(self, path: Any) -> Any:
        raise OSError("the compiled form of plugins is not kept")


class _Finder:
    """Finds helper modules in plugin folders."""

    def __init__(self) -> None:
        self.folders: dict[Path, FileFinder] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None:
            return None
        for finder in self.folders.values():
            finder.invalidate_caches()
            found = finder.find_spec(fullname)
            # A folder without __init__.py is no package of the plugins: it would hide nothing and offer nothing.
            if found is not None and found.loader is not None:
                return found
        return None


def make_importable(folder: Path) -> None:
    """Let the modules and packages of a folder be imported by their names. Twice is once."""
    finder = next((one for one in sys.meta_path if isinstance(one, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.append(finder)
    finder.folders.setdefault(folder.resolve(), FileFinder(str(folder.resolve()), (UncachedLoader, [".py"])))


def imported(path: Path) -> ModuleType | None:
    """The module that was imported by its name from this file; None when nothing has imported it."""
    module = sys.modules.get(path.stem)
    return module if module is not None and getattr(module, "__file__", None) == str(path.resolve()) else None


def named_by(files: Iterable[Path]) -> set[Path]:
    """The files beside these that their texts name, and those that a named file names: all that they may import.

    A text tells this also of a file that is no Python that can be read.
    """
    ahead, seen = list(files), set[Path]()
    while ahead:
        path = ahead.pop()
        try:
            words = set(_WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
        except OSError:
            continue
        named = {one for one in path.parent.glob("*.py") if one.stem in words} - seen
        seen |= named
        ahead += sorted(named)
    return seen


@contextmanager
def read_again() -> Iterator[None]:
    """Have every helper module read anew inside the block, and the modules that a package of helpers has imported."""
    found = [name for name, module in list(sys.modules.items()) if _is_helper(name, module)]
    before = {
        name: module
        for name in sorted(sys.modules)
        if name.partition(".")[0] in found
        for module in [sys.modules[name]]
    }
    for name in before:
        del sys.modules[name]
    try:
        yield
    finally:
        for name, module in before.items():
            if name not in sys.modules:
                _put_back(name, module)


def _is_helper(name: str, module: ModuleType) -> bool:
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    return isinstance(loader, UncachedLoader) and not name.startswith(PLUGIN_MODULE)


def _put_back(name: str, module: ModuleType) -> None:
    """Import a helper that no plugin has imported while it was loaded; keep the one before when that fails."""
    try:
        import_module(name)
    except (Exception, SystemExit):  # noqa: BLE001 - a helper may raise anything; the plugins that need it have said so
        sys.modules[name] = module
