"""What the client of AWS reports about a call tells no secret of it."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, ParamValidationError

from tenuto.core.access.masking import Masker
from tenuto.errors import PermanentError
from tenuto.model.ids import ObjectId, Partition
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

HOME = Partition(account="default", region="us-east-1")
SECRET = "Zq9SuperSecretXyzzy42"
SAID = f"Value ({SECRET}) for parameter cidrBlock is invalid"


def refusal(message: str) -> ClientError:
    response = {"Error": {"Code": "InvalidParameterValue", "Message": message}, "ResponseMetadata": {}}
    return ClientError(cast("Any", response), "CreateVpc")


class Session:
    """A way into an account where every creation is refused."""

    def confirm_to_change(self) -> None:
        """It is the right account."""

    def create_client(self, service: str, **settings: object) -> object:
        def create_vpc(**parameters: object) -> None:
            raise refusal(SAID)

        model = SimpleNamespace(operation_model=lambda name: SimpleNamespace(input_shape=None), error_shapes=())
        meta = SimpleNamespace(endpoint_url="http://127.0.0.1", service_model=model)
        return SimpleNamespace(meta=meta, create_vpc=create_vpc)


def test_neither_the_error_nor_the_op_of_a_masked_door_tells_the_secret() -> None:
    ops = RecordedOps()
    client = AccountClient(
        session=cast("AccountSession", Session()), partition=HOME, ops=ops, clock=VirtualClock(), ledger=RateLedger()
    )
    with pytest.raises(PermanentError) as raised:
        client.masked(Masker([SECRET])).change("ec2", "CreateVpc", (ObjectId("one"),))
    assert "Value (****) for parameter cidrBlock is invalid" in str(raised.value)
    [op] = ops.all
    assert op.message == str(raised.value)
    with pytest.raises(PermanentError, match=SECRET):
        client.change("ec2", "CreateVpc", (ObjectId("one"),))


@pytest.mark.parametrize("place", range(470, 505))
def test_a_secret_is_masked_before_the_message_is_cut(place: int) -> None:
    message = str(faults.translate(refusal("x" * place + SECRET), "ec2 CreateVpc", Masker([SECRET])))
    assert SECRET[:2] not in message


def test_what_the_sdk_refuses_by_itself_is_masked() -> None:
    error = ParamValidationError(report=f"Invalid length for parameter Name, value: {SECRET}")
    told = str(faults.translate(error, "ssm PutParameter", Masker([SECRET])))
    assert "Invalid length for parameter Name, value: ****" in told
