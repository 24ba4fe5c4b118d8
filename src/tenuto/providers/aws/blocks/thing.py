"""One thing of a block as it was read: its id, and all that the list and the description of it show."""

from dataclasses import dataclass

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.client.client import AccountClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing, with all that a part needs to read itself. `words` name the parameters of the physical id in the
    calls of the block, `names` are the details that are asked for."""

    client: AccountClient
    service: str
    words: str
    id: str
    answer: JsonMap
    names: frozenset[str] = frozenset()

    def declared_in(self, path: str) -> frozenset[str]:
        """The members of a property that are asked for (`ResourceType.asked_members`)."""
        head = f"{path}."
        return frozenset(name.removeprefix(head) for name in self.names if name.startswith(head))

    def answer_to(self, call: Call | None) -> JsonMap:
        """The answer to a call about the thing; the known answer where there is no call. Raises ProviderError."""
        if call is None:
            return self.answer
        answer: JsonMap = self.client.read(self.service, call.operation, **call.about(self.words, self.id))
        return answer
