"""The pages about machines: the nodes of the Conductor, and the hosts of a provider that has hosts of its own.

A host belongs to no account, and the things on it belong to many: the owner alone sees it, as at the command line.
"""

from tenuto.errors import NotFoundError
from tenuto.model.ids import JsonMap
from tenuto.service.views.host_text import remarks
from tenuto.web.visit import Visit


def nodes(visit: Visit) -> JsonMap:
    """The nodes and the hosts. The hosts are None for one who may not see them, and where no provider has any."""
    return {"nodes": visit.services.queries.nodes()["nodes"], "hosts": _hosts(visit)}


def host(visit: Visit) -> JsonMap:
    """One host. Raises ForbiddenError, NotFoundError."""
    visit.services.gatekeeper.check_root(visit.caller)
    shown = visit.services.nodes.show(visit.path["host"], visit.text("zone") or None)
    return {"host": shown, "remarks": remarks(shown)}


def needing(visit: Visit) -> list[JsonMap]:
    """The hosts that need a person, for the one who may see hosts."""
    return visit.services.nodes.needing() if visit.caller.is_root else []


def _hosts(visit: Visit) -> list[JsonMap] | None:
    if not visit.caller.is_root:
        return None
    try:
        found: list[JsonMap] = visit.services.nodes.all()["hosts"]
    except NotFoundError:
        return None
    return found
