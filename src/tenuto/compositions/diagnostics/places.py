"""Places map the parts of resources to lines of the file, so that later checks can point at a value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tenuto.compositions.diagnostics.nodes import Fields, Items, Node
from tenuto.model.diagnostic import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The properties of every resource as nodes, and the places of their names."""

    names: Mapping[str, Position] = field(default_factory=dict)
    properties: Mapping[str, Fields] = field(default_factory=dict)

    def find(self, logical_id: str, path: Iterable[str | int]) -> Position | None:
        """Return the position of the value, or one as near as the path leads; None for a name that is no resource."""
        position = self.names.get(logical_id)
        node: Node | None = self.properties.get(logical_id)
        for part in path:
            if isinstance(node, Fields):
                entry = node.entry(str(part))
                if entry is None:
                    break
                node = entry.value
                # A mapping or a list begins somewhere below its key; a reader looks for the key.
                position = entry.key.position if isinstance(node, Fields | Items) else node.position
            elif isinstance(node, Items) and str(part).isdecimal() and int(part) < len(node.items):
                node = node.items[int(part)]
                position = node.position
            else:
                break
        return position
