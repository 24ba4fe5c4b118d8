"""Files that a template names: paths from its own folder, and never an address of another machine."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from tenuto.kit.nearest import did_you_mean

_ADDRESS = re.compile(r"(?i)(?:https?|s3)://[^/]*/?")
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_ABOVE = ("", "../", "../../")


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The reason why a name leads to no file of this machine, and the name to write instead."""

    reason: str
    hint: str


def find(spelled: str, folder: PurePath, key: str) -> Path | Absent:
    """The file that is meant from the folder. `key` is where the name of the file is written."""
    spelled = spelled.removeprefix("file://")
    if (address := _ADDRESS.match(spelled)) is not None:
        nearest = _beside(spelled[address.end() :], folder)
        hint = f"Download it, and write its path, seen from this file, as the {key}."
        if nearest:
            hint = f"Write `{key}: {nearest}`, the file of this name that is here."
        return Absent(reason="lies behind an address, and Tenuto brings in files of this machine only", hint=hint)
    path = Path(os.path.normpath(folder / spelled))
    if path.is_file():
        return path
    reason = "is a folder" if path.is_dir() else "does not exist"
    hint = closest(path) or "The path is meant from the folder of this template: correct it."
    return Absent(reason=f"is {path}, which {reason}", hint=hint)


def closest(path: Path) -> str:
    """A hint at the file that was meant, of those in the folder of the path; empty where none is like it."""
    beside = sorted(one.name for one in path.parent.iterdir()) if path.parent.is_dir() else []
    return did_you_mean(path.name, beside)


def published(address: str, folder: PurePath) -> Path | None:
    """The file of the folder that the CDK publishes under this address: its hash is in it, and in the manifest of the
    assets beside the template."""
    hashes = _HASH.findall(address)
    for manifest in sorted(Path(folder).glob("*.assets.json")) if hashes else ():
        try:
            files = json.loads(manifest.read_bytes())["files"]
            for name in hashes:
                if name in files and (path := Path(folder / files[name]["source"]["path"])).is_file():
                    return path
        except (OSError, ValueError, KeyError, TypeError):
            continue  # It is no manifest of the CDK.
    return None


def _beside(key: str, folder: PurePath) -> str:
    """The file that an address probably means: the longest end of it that is a path here; empty when there is none."""
    parts = [part for part in key.partition("?")[0].split("/") if part not in ("", "..", ".")]
    for start in range(len(parts)):
        below = "/".join(parts[start:])
        for above in _ABOVE:
            if Path(folder / (above + below)).is_file():
                return above + below
    return ""
