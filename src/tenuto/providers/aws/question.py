"""The question after one thing by its physical id, and the reading of its answer.

Theory of operation. Services tell in two ways that there is no such thing. Most refuse the call with a code that says
"not found". Others answer with success, and hold nothing in the place of the thing: `DescribeAutoScalingGroups` shows
an empty list, `GetResourcePolicy` a secret without a policy. So a question has that place: a block's is the one where
its list or its description shows the thing.

Only an answer that is whole tells that there is nothing. One without the list, one with other things in place of the
asked one, and one that says neither "here" nor "gone" raise an error, and leave it open whether the thing stands.
"""

from dataclasses import dataclass
from typing import assert_never

from tenuto.errors import PermanentError
from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient

_NO_ID = "InvalidParameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The call that shows one thing by its physical id. `words` are the key of the block, for a call without its own.

    `place` is where an answer holds the thing. Without one the service always refuses for a thing that is not there.
    """

    service: str
    call: Call
    words: str = ""
    place: Described | Listed | None = None

    def about(self, physical_id: str) -> dict[str, Json]:
        """Return the parameters of the question. Raises BugError for an id of another form."""
        return self.call.about(self.words, physical_id)

    def is_answered(self, client: AccountClient, physical_id: str) -> bool:
        """Whether the answer holds the thing. Raises ProviderError for a refusal, and for an answer that does not tell;
        PermanentError for an id that the call cannot be asked about."""
        operation = self.call.operation
        if not self.call.fits(self.words, physical_id):
            raise PermanentError(f"{self.service} {operation} takes no id of the form of {physical_id}", code=_NO_ID)
        about = self.about(physical_id)
        match self.place:
            case Listed() as listed:
                members = list(client.pages(listed.paging(self.service, is_narrowed=True), **about))
                return self._is_among(listed, members, physical_id)
            case Described() as described:
                answer = client.read(self.service, operation, **about)
                return described.thing_in(answer, physical_id, self.service) is not None
            case None:
                client.read(self.service, operation, **about)
                return True
        assert_never(self.place)

    def _is_among(self, listed: Listed, members: list[Json], physical_id: str) -> bool:
        if not members:
            return False
        things = listed.things_in(members, {})
        if physical_id not in things:
            raise faults.of_another(f"{self.service} {self.call.operation}", physical_id, next(iter(things), ""))
        return True


def by_name(service: str, operation: str, parameter: str, at: str = "") -> Question:
    """The question of a type that is no block, and that its service refuses with "not found". `at` is the path of the
    thing in the answer."""
    call = Call(operation, parameter)
    return Question(service=service, call=call, place=Described(call=call, at=at) if at else None)


def by_ids(operation: str, parameter: str, things: str) -> Question:
    """The question after a thing of EC2: the parameter of the ids, and the list of things in the answer.

    EC2 refuses an unknown id, so the client takes no empty list for an answer (`client.answers.response_checks`). For
    ids of which an endpoint may say nothing, the empty list says that the thing is gone.
    """
    call = Call(operation, f"{parameter}[]")
    return Question(
        service="ec2", call=call, place=Described(call=call, at=f"{things}[0]", gone_at=f"{things} == `[]`")
    )
