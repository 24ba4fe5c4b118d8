"""The types of the providers that come with Tenuto, for a command that has no Conductor to ask.

Nothing is connected to: a provider says what it can hold without credentials. A Conductor may have more providers, so
only the types of these are judged.
"""

from tenuto.compositions.managed import Managed, managed_of
from tenuto.providers.aws.types.catalogue import FACTS
from tenuto.providers.simulated.types import TYPES


def installed_types() -> Managed:
    """The types that this installation can run."""
    return managed_of({**FACTS, **{name: block.facts for name, block in TYPES.items()}}, is_whole=False)
