"""Building blocks for reading: an item of an API answer in the shape of a declared resource."""

from collections.abc import Iterable, Mapping, Sequence

from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem, Owner
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.kind import Filters, Seen


def seen(
    type_name: str,
    physical_id: str,
    properties: Mapping[str, Json],
    *,
    attributes: Mapping[str, Json] | None = None,
    lent: Mapping[str, Sequence[Json]] | None = None,
    spelled: Mapping[str, tuple[str, Json]] | None = None,
    tags: Iterable[JsonMap] | None = None,
    owner: Owner | None = None,
    condition: Condition = Condition.READY,
    message: str = "",
    undeclarable: str = "",
) -> Seen:
    """One thing. Properties that are None are not shown; `tags` (when the type has tags) become `Tags` and the
    owner.
    """
    shown = {name: value for name, value in properties.items() if value is not None}
    if tags is not None:
        split = read_tags(tags)
        shown["Tags"] = list(split.declared)
        owner = split.owner
    item = ObservedItem(
        physical_id=PhysicalId(physical_id),
        properties=shown,
        attributes={name: value for name, value in (attributes or {}).items() if value is not None},
        lent=lent or {},
        spelled=spelled or {},
        owner=owner,
        condition=condition,
        message=message,
        undeclarable=undeclarable,
    )
    return TypeName(type_name), item


def narrowed(filters: Filters, *more: JsonMap) -> dict[str, Json]:
    """The `Filters` parameter; left out when there is none, as some APIs do not take an empty list."""
    combined = [*filters, *more]
    return {"Filters": combined} if combined else {}
