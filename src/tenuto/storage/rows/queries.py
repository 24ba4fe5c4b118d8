"""The named queries of `sql/queries/*.sql`: each begins with `-- name: NAME`, has a comment, and is one statement."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from tenuto.errors import BugError

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", re.DOTALL | re.MULTILINE)


@lru_cache(maxsize=1)
def load_queries() -> Mapping[str, str]:
    """Every query by its name. Raises BugError when a name is given twice."""
    found: dict[str, str] = {}
    folder = resources.files("tenuto.storage") / "sql" / "queries"
    for file in sorted(folder.iterdir(), key=lambda path: path.name):
        for name, text in _NAMED.findall(file.read_text(encoding="utf-8")):
            if name in found:
                raise BugError(f"two queries are named {name}; one of them is in {file.name}")
            found[name] = text.strip()
    return found
