"""The orders of a host in its folder, each kept twice.

Theory of operation. A host without the order for a thing shows nothing of it. The Conductor takes that for a thing that
is gone, and makes another one beside the one that runs on. So each order is kept in two files. Where one of them cannot
be read, the other counts and both are written anew. Where neither can, the order is lost: the host says of the thing
that it cannot tell, and nothing is concluded about it.
"""

from contextlib import suppress

from tenuto.kit.canonical import DocumentError
from tenuto.kit.documents import dumps, loads
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Spec

KIND = "specs"
MADE = "made"
"""The mark of a machine that was made: it has data."""
_FILES = ("specs", "specs-copy")


def keep(folder: StateFolder, spec: Spec) -> None:
    """Keep an order, in the place of the one before it. Raises OSError."""
    text = dumps(spec)
    for file in _FILES:
        folder.write(KIND, spec.object_id, file, text)


def kept(folder: StateFolder) -> tuple[list[Spec], frozenset[ObjectId]]:
    """Return the orders that are kept, and the things whose order is lost."""
    specs: list[Spec] = []
    lost: set[ObjectId] = set()
    for name in folder.names(KIND):
        texts = [folder.read(KIND, name, file) for file in _FILES]
        readable = [spec for text in texts if (spec := _read(name, text)) is not None]
        if readable:
            specs.append(readable[0])
            if texts[0] != texts[1]:
                # An order of an earlier release has no copy. A full disk takes none, and keeps no agent from its start.
                with suppress(OSError):
                    keep(folder, readable[0])
        elif any(text is not None for text in texts) or folder.read(KIND, name, MADE) is not None:
            lost.add(ObjectId(name))
        # Any other folder is that of an order whose keeping was cut off: it was never carried out.
    return specs, frozenset(lost)


def _read(name: str, text: str | None) -> Spec | None:
    try:
        spec = loads(Spec, text) if text is not None else None
    except DocumentError:
        return None
    return spec if spec is not None and spec.object_id == name else None
