"""STS refuses to assume a role, and repeats the external id, which is a secret of the account."""

import traceback

import pytest
from botocore.exceptions import ClientError, ParamValidationError

from tenuto.core.access.masking import Masker
from tenuto.errors import UnconfirmedError
from tenuto.model.account import Account
from tenuto.providers.aws.client.entrance.entering import entering, telling_no

EXTERNAL_ID = "Zq9-external-id-42"
ACCOUNT = Account(name="prod", settings={"role_arn": "arn:aws:iam::222222222222:role/t"})


@pytest.mark.parametrize(
    "refusal",
    [
        ClientError({"Error": {"Code": "AccessDenied", "Message": f"{EXTERNAL_ID} is wrong"}}, "AssumeRole"),
        ParamValidationError(report=f"Invalid value for ExternalId: {EXTERNAL_ID}"),
    ],
)
def test_what_sts_says_of_an_external_id_is_masked_wherever_it_is_told(refusal: Exception) -> None:
    with pytest.raises(Exception, match=r"\*\*\*\*") as told, entering(ACCOUNT), telling_no(Masker([EXTERNAL_ID])):
        raise refusal
    assert EXTERNAL_ID not in "".join(traceback.format_exception(told.value))


def test_a_refusal_without_a_secret_is_told_as_it_is() -> None:
    refusal = ClientError({"Error": {"Code": "AccessDenied", "Message": "not allowed"}}, "AssumeRole")
    with pytest.raises(UnconfirmedError, match="not allowed"), entering(ACCOUNT), telling_no(Masker([EXTERNAL_ID])):
        raise refusal
