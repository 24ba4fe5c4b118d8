"""AWS::IAM::AccessKey: a key of a user. Its Ref is its id.

Theory of operation. IAM tells the secret of a key once, in the answer to its creation, and the Conductor seals it
(`Done.told_once`). A creation that got no answer has made a key whose secret is lost, and IAM takes no token. So the
keys that the user has are noted before; one that came since and was never used is deleted before another one is made,
or with the process. Nothing says of any other key whose it is, so none is taken over.
"""

from dataclasses import replace

from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.client.answers.pages import iam
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.observed import seen

_NAME, _SERVICE = "AWS::IAM::AccessKey", "iam"
_NOTED = "keys_before"
_KEYS = iam("ListAccessKeys", "AccessKeyMetadata")


def _keys(work: Work) -> dict[str, JsonMap]:
    """The keys of the user, by their ids."""
    return {str(key["AccessKeyId"]): key for key in work.client.pages(_KEYS, UserName=work.need("UserName"))}


def _lost(work: Work) -> dict[str, JsonMap]:
    """The keys that a creation without an answer has made: no user can have used one."""
    noted = work.request.progress.get(_NOTED)
    found = {} if noted is None else _keys(work)
    return {one: key for one, key in found.items() if one not in (noted or ()) and not _is_used(work, one)}


def _is_used(work: Work, key: str) -> bool:
    answer = work.read(_SERVICE, "GetAccessKeyLastUsed", AccessKeyId=key)
    return bool(answer.get("AccessKeyLastUsed", {}).get("LastUsedDate"))


def _create(work: Work) -> Outcome:
    if _NOTED not in work.request.progress:
        noted = {_NOTED: sorted(_keys(work))}
        return Pending(message="the keys that the user has already are noted", delay_s=0.0, progress=noted)
    user = work.need("UserName")
    for lost in _lost(work):
        work.let_go(_SERVICE, "DeleteAccessKey", UserName=user, AccessKeyId=lost)
    made = work.change(_SERVICE, "CreateAccessKey", UserName=user)["AccessKey"]
    return Done(
        physical_id=_id(made),
        attributes=_attributes(made),
        told_once={"SecretAccessKey": str(made["SecretAccessKey"])},
    )


def _find(work: Work) -> ObservedItem | None:
    """The key that a creation without an answer has made; it is of no use, and goes with the process."""
    for key in _lost(work).values():
        shown = {"UserName": key["UserName"], "Status": key["Status"]}
        return seen(_NAME, _id(key), shown, attributes=_attributes(key))[1]
    return None


def _id(key: JsonMap) -> PhysicalId:
    return PhysicalId(f"{key['UserName']}{ID}{key['AccessKeyId']}")


def _attributes(key: JsonMap) -> JsonMap:
    return {"Id": key["AccessKeyId"], "Ref": key["AccessKeyId"]}


KEY = replace(
    block(
        _NAME,
        _SERVICE,
        key="UserName AccessKeyId",
        beside=Listed(
            operation="ListAccessKeys",
            id="UserName AccessKeyId",
            given={"UserName": "UserName"},
            is_swept=True,
        ),
        create="CreateAccessKey",
        made="AccessKey.UserName AccessKey.AccessKeyId",
        attributes={"Id": "AccessKeyId", "Ref": "AccessKeyId"},
        modify={"UpdateAccessKey": "Status"},
        delete="DeleteAccessKey",
        write_only="Serial",
        defaults={"Status": "Active"},
    ),
    create=_create,
    find=_find,
    is_found=lambda _request, _item: False,
)
TYPES = (KEY,)
