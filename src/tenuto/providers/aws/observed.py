"""Building blocks for reading: an item of an API answer in the shape of a declared resource."""

from collections.abc import Iterable, Mapping, Sequence

from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem, Owner
from tenuto.providers.aws.client.owner import OF_SERVICES, read_tags
from tenuto.providers.aws.kind import Filters, Seen


def seen(
    type_name: str,
    physical_id: str,
    properties: Mapping[str, Json],
    *,
    attributes: Mapping[str, Json] | None = None,
    lent: Mapping[str, Sequence[Json]] | None = None,
    tags: Iterable[JsonMap] | None = None,
    owner: Owner | None = None,
    condition: Condition = Condition.READY,
    message: str = "",
    undeclarable: str = "",
) -> Seen:
    """One thing. Properties that are None are not shown; `tags` (when the type has tags) become `Tags` and the
    owner. Those of services of AWS are lent: they count where they are declared, and stay where they are not.
    """
    shown = {name: value for name, value in properties.items() if value is not None}
    if tags is not None:
        split = read_tags(tags)
        of_services = [tag for tag in split.declared if tag["Key"] in OF_SERVICES]
        shown["Tags"] = [tag for tag in split.declared if tag not in of_services]
        lent = {**(lent or {}), "Tags": of_services} if of_services else lent
        owner = split.owner
    item = ObservedItem(
        physical_id=PhysicalId(physical_id),
        properties=shown,
        attributes={name: value for name, value in (attributes or {}).items() if value is not None},
        lent=lent or {},
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
