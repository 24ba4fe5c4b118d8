"""CloudFormation's reference writes the media types of an API with `~1` for each slash; API Gateway keeps a slash."""

import pytest

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import TypeName
from tenuto.providers.aws.blocks.acts import BlockActs
from tenuto.providers.aws.types.catalogue import BLOCKS

REST_API = BLOCKS[TypeName("AWS::ApiGateway::RestApi")]
NAME = "BinaryMediaTypes"


@pytest.mark.parametrize(
    ("declared", "shown", "is_same"),
    [
        (["image~1png", "*~1*"], ["*/*", "image/png"], True),
        (["image/png"], ["image/png"], True),
        (["image~1png"], ["image/gif"], False),
        (["image~1png"], ["image/png", "image/gif"], False),
        (["image~1png"], [], False),
    ],
)
def test_an_escaped_slash_is_a_slash(declared: list[str], shown: list[str], is_same: bool) -> None:
    assert means_same(declared, shown, REST_API.facts.compare_as, NAME) is is_same


def test_a_type_is_sent_with_its_slash() -> None:
    acts = getattr(REST_API.create, "__self__", None)
    assert isinstance(acts, BlockActs)
    assert acts.sent_as[NAME](["image~1png", "*~1*", "text/csv"]) == ["image/png", "*/*", "text/csv"]
