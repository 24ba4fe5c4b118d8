"""Loads files of validations. A rule that is silently left out is worse than none: every fault is an error."""

import linecache
import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.validations.kit import Validation
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Position


def load_validations(paths: Iterable[Path]) -> tuple[Validation, ...]:
    """The rules of files, and of the `*.py` files of folders in the order of their names.

    Files of a folder that begin with an underscore are left out. Raises CompileError, with a diagnostic for every file
    that cannot be used.
    """
    problems = Problems("validations", "")
    found: list[Validation] = []
    for path in dict.fromkeys(path for given in paths for path in _files(given, problems)):
        found += _load(path, problems)
    if problems.has_errors:
        raise CompileError("the validations cannot be used", problems.diagnostics())
    return tuple(found)


def _files(given: Path, problems: Problems) -> list[Path]:
    if given.is_file():
        return [given]
    if not given.is_dir():
        _report(problems, given, "There is no file or folder of that name.")
        return []
    files = sorted(path for path in given.glob("*.py") if not path.name.startswith("_"))
    if not files:
        _report(problems, given, "The folder holds no *.py file.")
    return files


def _load(path: Path, problems: Problems) -> list[Validation]:
    try:
        module = _execute(path)
    except SyntaxError as error:
        _report(problems, path, f"It is not Python: {error.msg}.", line=error.lineno, column=error.offset)
        return []
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module of a user may raise anything
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
        _report(problems, path, f"Loading it raised {type(error).__name__}: {error}.", line=lines[-1] if lines else 0)
        return []
    found = [value for value in vars(module).values() if isinstance(value, Validation)]
    if not found:
        _report(problems, path, "It declares no rule; decorate a function with @validation(...).")
    return list(dict.fromkeys(found))


def _execute(path: Path) -> ModuleType:
    """Run a file as a module of its own name, so that two files of one name in two folders do not meet."""
    name = f"tenuto_validations_{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        # Compiled under the name that was typed, which is the one that messages should say.
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _report(problems: Problems, path: Path, detail: str, *, line: int | None = 0, column: int | None = 1) -> None:
    position = Position(file=str(path), line=line, column=max(column or 1, 1)) if line else None
    problems.add(
        codes.VALIDATIONS_UNUSABLE,
        position,
        f"{path}: {detail}",
        subject=str(path),
        source_line=linecache.getline(str(path), line).rstrip("\n") if line else "",
    )
