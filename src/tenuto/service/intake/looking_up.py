"""Values that the provider keeps in its parameter store, for compositions that refer to them.

A run and an update look up all that the composition refers to. A compilation on the client asks before it, and only for
the values that a condition of the template waits for: such a condition decides which resources there are.
"""

from collections.abc import Iterable, Mapping

from tenuto.errors import UserError
from tenuto.model.composition import SECRET_LOOKUP
from tenuto.model.ids import Json, Partition, TypeName
from tenuto.ports.conductor import Places

MOST_KEYS = 200
"""A template has at most 200 parameters."""
_PARAMETER = TypeName("AWS::SSM::Parameter")


def look_up(places: Places, provider: str, partition: Partition, keys: Iterable[str]) -> Mapping[str, Json]:
    """The value of each key. Raises UserError for keys without a value, and ProviderError."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    found = places.lookup(provider, partition, wanted)
    missing = [key for key in wanted if key not in found]
    if missing:
        raise UserError(
            f"The provider has no value for {', '.join(missing)} in {partition}. "
            "Create it there, or give the parameter another key."
        )
    return found


def look_up_parameters(places: Places, partition: Partition, keys: Iterable[str]) -> Mapping[str, Json]:
    """The values for a template whose provider is not known yet: it does not compile without them. The provider that
    has a parameter store is asked; without one, the one of the first type. Raises the errors of `look_up`."""
    wanted = sorted(set(keys))
    secret = [key for key in wanted if key.startswith(SECRET_LOOKUP)]
    if secret:
        raise UserError(f"{', '.join(secret)} refers to a secret, which is not told.")
    if len(wanted) > MOST_KEYS:
        raise UserError(f"{len(wanted)} keys are asked for; {MOST_KEYS} are allowed at a time.")
    provider = next((name for one in (_PARAMETER, *sorted(places.types())) for name in places.bringing(one)), None)
    if provider is None:
        raise UserError("No provider of this Conductor manages any type, so none can look a value up.")
    return look_up(places, provider, partition, wanted)
