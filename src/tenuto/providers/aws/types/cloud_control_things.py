"""Things of a type that goes through Cloud Control, as they are read: one by one, or all that stand."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.model.ids import JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import is_reserved
from tenuto.providers.aws.kind import Scope, Seen
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.cloud_control_facts import Tagging
from tenuto.providers.aws.types.cloud_control_model import attributes_of, properties_of, tags_in
from tenuto.providers.aws.types.cloud_control_references import reference_in
from tenuto.providers.aws.types.cloud_control_requests import SERVICE

_LIST = Listed(operation="ListResources", id="Identifier", size=100).paging(SERVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """The things of one type."""

    schema: TypeSchema
    facts: ResourceType
    tagging: Tagging | None

    @property
    def name(self) -> str:
        return str(self.facts.name)

    def read(self, client: AccountClient, scope: Scope) -> list[Seen]:
        """The things that are asked for, each with a call of its own. All else comes where that is asked for."""
        if scope.names is not None:
            found = client.each_there(lambda one: self.model(client, one), scope.named(self.name))
            return [self.seen(one, model) for one, model in found.items()]
        own = (scope.tracked if scope.own is None else scope.own).get(self.facts.name, {})

        def read(asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
            return client.each_there(lambda one: self.model(client, one), asked)

        # All tracked things are named, so that one that is not shown this time is not forgotten.
        asked = {**own, **scope.tracked.get(self.facts.name, {})}
        found = client.details.get(self.name, asked, scope.ids(self.name), read)
        others = self.others(client, asked) if scope.is_whole and self.is_listed else {}
        return [self.seen(one, model) for one, model in {**others, **found}.items() if model]

    @property
    def is_listed(self) -> bool:
        """Whether things of the type that carry our mark can be found among all others: there is a list of them that
        needs no parent, and they carry tags."""
        handler = (self.schema.document.get("handlers") or {}).get("list")
        return self.tagging is not None and handler is not None and not handler.get("handlerSchema")

    def others(self, client: AccountClient, known: Iterable[str]) -> dict[str, JsonMap]:
        """The things that no record knows, each with a call: a list shows identifiers, and no tags."""
        listed = {*(self.listed(client, {}) or ())}
        return client.each_there(lambda one: self.model(client, one), sorted(listed - {*known}))

    def listed(self, client: AccountClient, properties: JsonMap) -> list[str] | None:
        """The identifiers of all things of the type, of one parent where the list needs one that the properties name;
        None where there is no such list."""
        handler = (self.schema.document.get("handlers") or {}).get("list")
        needed = ((handler or {}).get("handlerSchema") or {}).get("required") or ()
        if handler is None or any(properties.get(name) is None for name in needed):
            return None
        parent = {name: properties[name] for name in sorted(needed)}
        asked = {"TypeName": self.name, **({"ResourceModel": json.dumps(parent)} if parent else {})}
        return [str(one["Identifier"]) for one in client.pages(_LIST, **asked) if one.get("Identifier")]

    def model(self, client: AccountClient, identifier: str) -> JsonMap:
        """The document of one thing. Raises ProviderError, also where it does not exist."""
        answer = client.read(SERVICE, "GetResource", TypeName=self.name, Identifier=identifier)
        try:
            model = json.loads(answer["ResourceDescription"]["Properties"])
        except (KeyError, ValueError, TypeError) as error:
            raise faults.not_of_aws(f"{SERVICE} GetResource") from error
        if not isinstance(model, dict) or not model:
            raise faults.not_of_aws(f"{SERVICE} GetResource")
        return model

    def seen(self, identifier: str, model: JsonMap) -> Seen:
        """The thing with this document, as a sweep shows it."""
        shown = dict(properties_of(model, self.schema))
        type_name, item = seen(
            self.name,
            identifier,
            shown,
            attributes={**attributes_of(model, self.facts), **reference_in(identifier, model, self.schema)},
            tags=None if self.tagging is None else tags_in(model.get(self.tagging.property)),
        )
        return type_name, _with_own_tags(item, self.tagging, model)


def _with_own_tags(item: ObservedItem, tagging: Tagging | None, model: JsonMap) -> ObservedItem:
    """The thing with its declared tags in the property and the shape of its type; the reader puts them into `Tags`.

    A tag may have more members than its key and value: whether an instance gets it, too.
    """
    if tagging is None:
        return item
    properties = {name: value for name, value in item.properties.items() if name != "Tags"}
    shown = tags_in(model.get(tagging.property))
    declared = [plain(tag, tagging) for tag in shown if not is_reserved(str(tag["Key"]))]
    properties[tagging.property] = {tag["Key"]: tag["Value"] for tag in declared} if tagging.is_mapping else declared
    return ObservedItem(
        physical_id=item.physical_id, properties=properties, attributes=item.attributes, owner=item.owner
    )


def plain(tag: JsonMap, tagging: Tagging) -> JsonMap:
    """A tag without the members that can only be shown."""
    return {name: value for name, value in tag.items() if name in tagging.members}
