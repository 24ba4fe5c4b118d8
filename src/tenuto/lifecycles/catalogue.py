"""Every lifecycle by the name that objects carry: Tenuto's own tables, and those that providers bring.

Theory of operation. The rest of Tenuto reads `CATALOGUE`: one mapping for the whole program, because a name of a table
means the same table everywhere. A provider's tables are admitted before a Conductor is built, and tables of the store,
whose provider is not loaded now, after them. Tables are only ever added, and one that is there never becomes another
one: objects walk along it. The same table again is fine, since one Conductor may follow another in a program. Once a
Conductor serves, the catalogue is closed: a part that was checked against the tables shall not meet a new one.

A table is checked by itself when it is made (`table_checks`). Here it is checked beside the others.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tenuto.errors import PluginError
from tenuto.lifecycles.agent_operation import AGENT_OPERATION
from tenuto.lifecycles.attempt import ATTEMPT
from tenuto.lifecycles.cloud_node import CLOUD_NODE
from tenuto.lifecycles.instance import INSTANCE
from tenuto.lifecycles.intent import INTENT
from tenuto.lifecycles.made_things import ARTIFACT, BLOB, NETWORK_INTERFACE
from tenuto.lifecycles.namespace import NAMESPACE
from tenuto.lifecycles.network import NETWORK
from tenuto.lifecycles.node import NODE
from tenuto.lifecycles.process import PROCESS
from tenuto.lifecycles.resource import RESOURCE
from tenuto.lifecycles.table import Lifecycle, Work
from tenuto.lifecycles.upload import UPLOAD
from tenuto.lifecycles.written import document_of

OWN = "Tenuto"
"""The origin of the tables that come with Tenuto, in messages."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_STATE = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}")
_NEEDED_WORK = (Work.CREATE, Work.CONFIGURE, Work.DELETE)


class Catalogue:
    """Tables by name, each with its origin. Append-only; `tables` is a live view that no reader can write to."""

    def __init__(self, own: Iterable[Lifecycle]) -> None:
        self._tables = {table.name: table for table in own}
        self._origins = dict.fromkeys(self._tables, OWN)
        self._is_closed = False
        self.tables: Mapping[str, Lifecycle] = MappingProxyType(self._tables)

    def admit(self, table: Lifecycle, *, origin: str) -> None:
        """Add a table. Raises PluginError, and adds nothing, when it must not be added."""
        if problem := self._problem(table, origin):
            raise PluginError(f"the lifecycle {table.name} of {origin} was refused: {problem}")
        self._tables.setdefault(table.name, table)
        self._origins.setdefault(table.name, origin)

    def close(self) -> None:
        """Admit no more tables but those that are there."""
        self._is_closed = True

    def brought_by(self, origin: str) -> tuple[Lifecycle, ...]:
        """The tables of one origin, in the order in which they were admitted."""
        return tuple(table for name, table in self._tables.items() if self._origins[name] == origin)

    def _problem(self, table: Lifecycle, origin: str) -> str:
        known = self._tables.get(table.name)
        if known is not None:
            if document_of(known) == document_of(table):
                return ""
            return (
                f"{self._origins[table.name]} has a lifecycle {table.name} with other content, and objects walk along "
                "it. Give this one another name"
            )
        if self._is_closed:
            return f"a Conductor serves already, and takes no more tables. Restart it with {origin}"
        return _form_problem(table) or _work_problem(table, self._tables.values())


def _form_problem(table: Lifecycle) -> str:
    """The fault in the names of a table, or that it has no paths for phases."""
    if not _NAME.fullmatch(table.name):
        return "its name must consist of small letters, digits and underscores, and begin with a letter"
    if wrong := sorted(state for state in table.states if not _STATE.fullmatch(state)):
        return f"{', '.join(wrong)}: the names of states consist of letters, digits and hyphens"
    if not table.paths:
        return f"it has no paths, so no phase would ever run; give the ways to {table.ready} and {table.gone}"
    return ""


def _work_problem(table: Lifecycle, others: Iterable[Lifecycle]) -> str:
    """The fault in the work of Tenuto's own phases: they know a state by its name, and so must find the same there."""
    if not table.work:
        return ""
    needed = (*_NEEDED_WORK, *((Work.RELEASE,) if table.released is not None else ()))
    if missing := [work.value for work in needed if work not in table.work]:
        return f"it names the work of some states and not of all: {', '.join(missing)} is missing"
    mine = {str(state): work for work, state in table.work.items()}
    for other in others:
        theirs = {str(state): work for work, state in other.work.items()}
        for state in sorted((mine.keys() | theirs.keys()) & {*table.states} & {*other.states} if theirs else ()):
            if mine.get(state) != theirs.get(state):
                return (
                    f"its state {state} is for {_said(mine.get(state))}, and that of {other.name} for "
                    f"{_said(theirs.get(state))}; give the state another name"
                )
    return ""


def _said(work: Work | None) -> str:
    return f"the work {work.value}" if work is not None else "no work of a provider"


KNOWN = Catalogue(
    (
        PROCESS,
        RESOURCE,
        CLOUD_NODE,
        NODE,
        INSTANCE,
        NETWORK,
        NETWORK_INTERFACE,
        ARTIFACT,
        BLOB,
        UPLOAD,
        AGENT_OPERATION,
        NAMESPACE,
    )
)
"""The one catalogue of the program, for those that admit tables."""

CATALOGUE: Mapping[str, Lifecycle] = KNOWN.tables
"""The tables of all objects, for those that read."""

TABLES: Mapping[str, Lifecycle] = {
    **{table.name: table for table in KNOWN.brought_by(OWN)},
    ATTEMPT.name: ATTEMPT,
    INTENT.name: INTENT,
}
"""Every table that comes with Tenuto: those of objects, and those of an attempt and an intent, which are parts of an
object and of a process."""
