"""The names of things that AWS knows by name: the declared one, or one that Tenuto makes of the request.

A generated name follows from the request alone, so the thing that a lost call made is found again by it (`finding`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.model.outcome import Request
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import flag


@dataclass(frozen=True, slots=True)
class Named:
    """The naming of one type: the property that declares the name, and the longest name that AWS takes. A name that
    `is_of_many` does not tell a thing from all others: any number of revisions have it.

    A name is only generated with the `ending` that the service asks for, and made `fit` for it.
    """

    property: str
    longest: int
    ending: Callable[[Request], str] = lambda _: ""
    fit: Callable[[str], str] = str
    is_of_many: bool = False

    def __call__(self, request: Request) -> str:
        """Return the name of the thing that the request makes, or has made."""
        declared = request.properties.get(self.property)
        if declared:
            return str(declared)
        ending = self.ending(request)
        return self.fit(generated_name(request, self.longest - len(ending)) + ending)


def fifo_by(switch: str) -> Callable[[Request], str]:
    """The ending of the names of queues and topics that keep the order, as this property says."""
    return lambda request: ".fifo" if flag(request.properties.get(switch)) else ""
