"""Keys of KMS as other services name them, and their aliases; the settings of a key are in `kms_settings`.

A key has an id, an ARN, and any number of aliases, of which each can be pointed at another key. A well-formed id or ARN
that was not made here counts as a key that was there before; an alias must exist. The aliases of AWS (`alias/aws/ebs`)
exist from their first use on.
"""

import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.kms_settings import HANDLERS as SETTINGS
from tenuto_testing.cloud.families.kms_settings import KEY, born, described
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Place, Thing

ALIAS = Kind(name="kms-alias", prefix="", id_name="AliasName", not_found="NotFoundException")
_ARN = re.compile(r"arn:aws[\w-]*:kms:(?P<region>[\w-]+):(?P<account>\d{12}):(?P<what>(?:key|alias)/.+)")
_ID = re.compile(r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})")
_PREFIX = "alias/"
_OF_AWS = "alias/aws/"
_PAGE = 100


def key_arn(call: Call, name: str) -> str:
    """The ARN of the key that is named by its id, its ARN, an alias or the ARN of an alias. Raises Refusal."""
    match = _ARN.fullmatch(name)
    place = call.cloud.place(match["account"], match["region"]) if match else call.place
    plain = match["what"].removeprefix("key/") if match else name
    if place.region != call.region:
        raise Refusal("NotFoundException", f"Invalid arn {place.region}")
    if plain.startswith(_PREFIX):
        plain = _target(call, place, plain)
    if not _ID.fullmatch(plain):
        raise Refusal("NotFoundException", f"Invalid keyId '{plain}'")
    return _arn(place, f"key/{plain}")


def _target(call: Call, place: Place, name: str) -> str:
    """The id of the key that an alias is pointed at. Raises Refusal."""
    alias = place.table(ALIAS).things.get(name)
    if alias is not None:
        return str(alias["TargetKeyId"])
    if not name.startswith(_OF_AWS):
        raise Refusal("NotFoundException", f"Alias {_arn(place, name)} is not found.")
    key_id = _new_id(call, place)
    _add(call, place, KEY, key_id, {"KeyManager": "AWS"})
    _add(call, place, ALIAS, name, {"TargetKeyId": key_id})
    return key_id


def _arn(place: Place, what: str) -> str:
    return f"arn:aws:kms:{place.region}:{place.account}:{what}"


def _new_id(call: Call, place: Place, *, is_multi_region: bool = False) -> str:
    """Like a UUID; that of a key for several regions has no hyphens."""
    text = call.cloud.ids.digits(f"{place.account}/{place.region}/kms", 32)
    if is_multi_region:
        return f"mrk-{text}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _add(call: Call, place: Place, kind: Kind, name: str, data: Data) -> None:
    place.add(Thing(kind, name, {kind.id_name: name, **data}, {}, call.now, 0), ())


def _create(call: Call) -> Data:
    key_id = _new_id(call, call.place, is_multi_region=bool(call.want("MultiRegion")))
    _add(call, call.place, KEY, key_id, born(call))
    return {"KeyMetadata": metadata(call, _arn(call.place, f"key/{key_id}"))}


def metadata(call: Call, arn: str) -> Data:
    match = _ARN.fullmatch(arn)
    assert match is not None
    key_id = match["what"].removeprefix("key/")
    key = call.cloud.place(match["account"], match["region"]).table(KEY).things.get(key_id)
    return {
        "AWSAccountId": match["account"],
        "Arn": arn,
        "CreationDate": key.made_at if key else call.now,
        "KeyId": key_id,
        "MultiRegion": key_id.startswith("mrk-"),
        **described(key),
    }


def _describe(call: Call) -> Data:
    return {"KeyMetadata": metadata(call, key_arn(call, call.want("KeyId")))}


def _create_alias(call: Call) -> Data:
    name = _own_alias(call)
    if name in call.place.table(ALIAS).things:
        raise Refusal("AlreadyExistsException", f"An alias with the name {_arn(call.place, name)} already exists")
    _add(call, call.place, ALIAS, name, {"TargetKeyId": _wanted_target(call)})
    return {}


def _update_alias(call: Call) -> Data:
    call.edit(_present_alias(call))["TargetKeyId"] = _wanted_target(call)
    return {}


def _delete_alias(call: Call) -> Data:
    call.remove(_present_alias(call))
    return {}


def _own_alias(call: Call) -> str:
    """The name of an alias that is not one of AWS's own. Raises Refusal."""
    name = str(call.want("AliasName"))
    if not name.startswith(_PREFIX) or name.startswith(_OF_AWS):
        raise Refusal("InvalidAliasNameException", "Alias must start with the prefix 'alias/', and not 'alias/aws/'.")
    return name


def _present_alias(call: Call) -> Thing:
    alias = call.place.table(ALIAS).things.get(_own_alias(call))
    if alias is None:
        raise Refusal("NotFoundException", f"Alias {_arn(call.place, call.want('AliasName'))} is not found.")
    return alias


def _wanted_target(call: Call) -> str:
    """The id of the key that an alias is to be pointed at: AWS takes no other alias for it. Raises Refusal."""
    wanted = str(call.want("TargetKeyId"))
    if wanted.startswith(_PREFIX):
        raise Refusal("ValidationException", "Aliases must refer to keys. Not aliases")
    return key_arn(call, wanted).rpartition("/")[2]


def _aliases(call: Call) -> Data:
    found = {
        alias.id: {
            "AliasArn": _arn(call.place, alias.id),
            "AliasName": alias.id,
            "TargetKeyId": alias["TargetKeyId"],
        }
        for alias in call.all(ALIAS)
    }
    names, token = cut(call, sorted(found), str, call.want("Limit", _PAGE))
    more = {"NextMarker": token, "Truncated": True} if token else {"Truncated": False}
    return {"Aliases": [found[name] for name in names], **more}


HANDLERS: Mapping[str, Any] = {
    **SETTINGS,
    "CreateAlias": _create_alias,
    "CreateKey": _create,
    "DeleteAlias": _delete_alias,
    "DescribeKey": _describe,
    "ListAliases": _aliases,
    "UpdateAlias": _update_alias,
}
