"""Things that no list shows all of, read by one list for each of the things that hold them."""

from collections.abc import Callable, Mapping

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import JsonMap
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.texts import text_of

Members = Mapping[str, JsonMap]


def members_of(
    client: AccountClient, holders: Mapping[str, JsonMap], listing: Callable[[JsonMap], Members]
) -> dict[str, JsonMap]:
    """The members by id, each of the list that the parameters of its holder give; without those that are gone.

    A list that may not be read leaves all of its members unread: were they missing, they would count as gone.
    """

    def tried(key: str) -> Members | ProviderError:
        try:
            return listing(lists[key])
        except ProviderError as error:
            return error

    def member(one: str) -> JsonMap:
        answer = answers[text_of(holders[one])]
        if isinstance(answer, ProviderError):
            raise answer
        if one not in answer:
            raise PermanentError(f"There is no {one}.", code="ResourceNotFound")
        return answer[one]

    lists = {text_of(given): given for given in holders.values()}
    answers = dict(zip(lists, client.each(tried, [*lists]), strict=True))
    return client.each_there(member, holders)
