"""A test event that was not delivered is told with the reason, as one sentence with one full stop."""

from collections.abc import Mapping

import pytest
from front import Front
from terminal import Shell

from tenuto.errors import PermanentError
from tenuto.model.ids import Partition
from tenuto.model.notification import SinkKind
from tenuto.transports.topic import TopicTransport

TOPIC = "arn:aws:sns:eu-west-1:111122223333:changes"


class Publisher:
    """Implements `ports.notices.TopicPublisher`, and refuses each message with the same words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def publish(self, partition: Partition, topic: str, message: str, attributes: Mapping[str, str]) -> None:
        raise PermanentError(self._words, code="NotFound")


@pytest.mark.parametrize("end", ["", ".", ".."])
def test_a_reason_with_a_full_stop_of_its_own_gets_no_second_one(tenuto: Shell, front: Front, end: str) -> None:
    publisher = Publisher(f'sns Publish: NotFound: "Topic does not exist"{end}')
    front.transports[SinkKind.SNS] = TopicTransport({"aws": publisher}, lambda account: "aws")
    assert tenuto("notification", "add", "changes", "--topic", TOPIC, "-y").code == 0
    ended = tenuto("notification", "test", "changes")
    assert ended.code == 1
    assert ended.err.strip().endswith('not delivered: sns Publish: NotFound: "Topic does not exist".')
