"""The types of the providers that come with Tenuto, for a command that has no Conductor to ask.

Nothing is connected to: a provider says what it can hold without credentials. A Conductor may have more providers, so
only the types of these are judged.
"""

from collections.abc import Mapping

from tenuto.compositions.managed import Managed, managed_of
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.providers.aws.types.catalogue import FACTS
from tenuto.providers.simulated.types import TYPES


def installed_facts() -> Mapping[TypeName, ResourceType]:
    """What is known of each type that this installation can run."""
    return {**FACTS, **{name: block.facts for name, block in TYPES.items()}}


def installed_types() -> Managed:
    """The types that this installation can run."""
    return managed_of(installed_facts(), is_whole=False)
