"""The sentences about a host that the command line and the dashboard both tell."""

from collections.abc import Iterable

from tenuto.model.ids import JsonMap


def remarks(document: JsonMap) -> list[str]:
    """The sentences about things that should not be on a host, and about gaps in the knowledge of its agent."""
    found: list[str] = []
    if document["lacks"]:
        found.append(
            f"Its agent (Tenuto {document['version'] or 'of before'}) does not know {' and '.join(document['lacks'])}: "
            "install the Conductor's release of Tenuto there, and start the agent again."
        )
    if document["left_behind"]:
        found.append(f"To be removed when it is back: {_told(document['left_behind'])}.")
    if document["isolated"]:
        found.append(
            f"On no network, since they failed with their host: {_told(document['isolated'])}. They are left as "
            "they are until their process is told to go on ('tenuto resume'), which deletes them."
        )
    if document["strays"]:
        found.append(f"There, and not known to this Conductor: {_told(document['strays'])}.")
        found.append(f"They are left alone; 'tenuto node purge {document['name']}' removes them.")
    return found


def _told(things: Iterable[str]) -> str:
    """The names of things on a host. A copy of a blob has that of its blob, and of the host."""
    return ", ".join(f"the copy of the blob {name.partition('@')[0]}" if "@" in name else name for name in things)
