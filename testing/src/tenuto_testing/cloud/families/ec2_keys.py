"""Key pairs."""

import base64
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, select
from tenuto_testing.cloud.families.kinds import KEY_PAIR
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_LONGEST = 255
_KINDS = (b"ssh-rsa ", b"ssh-ed25519 ", b"-----BEGIN")

PAIRS = Listing(
    kind=KEY_PAIR,
    members="KeyPairs",
    ids="KeyPairIds",
    filters={"fingerprint": "KeyFingerprint", "key-name": "KeyName", "key-pair-id": "KeyPairId"},
    page=0,
)


def by_name(call: Call, name: str) -> Thing:
    """The pair of a name that can be known by now. Raises Refusal."""
    for pair in call.all(KEY_PAIR):
        if pair["KeyName"] == name:
            return call.get(KEY_PAIR, pair.id)
    raise Refusal("InvalidKeyPair.NotFound", f"The key pair '{name}' does not exist")


def _describe(call: Call) -> Data:
    views, _ = select(call, PAIRS)
    names = call.want("KeyNames")
    for name in names or ():
        if all(view.data["KeyName"] != name for view in views):
            raise Refusal("InvalidKeyPair.NotFound", f"The key pair '{name}' does not exist")
    return {"KeyPairs": [view for view in views if not names or view.data["KeyName"] in names]}


def _create(call: Call) -> Data:
    pair = _make(call, call.want("KeyType", "rsa"))
    secret = base64.b64encode(call.cloud.ids.digits("key-material", 64).encode()).decode()
    return {**_shown(pair), "KeyMaterial": f"-----BEGIN RSA PRIVATE KEY-----\n{secret}\n-----END RSA PRIVATE KEY-----"}


def _import(call: Call) -> Data:
    material: bytes = call.want("PublicKeyMaterial")
    if not material.startswith(_KINDS):
        raise Refusal("InvalidKey.Format", "Key is not in valid OpenSSH public key format")
    return _shown(_make(call, "ed25519" if material.startswith(b"ssh-ed25519") else "rsa"))


def _make(call: Call, key_type: str) -> Thing:
    check_specifications(call.want("TagSpecifications") or (), ["key-pair"])
    name = call.want("KeyName")
    if not name or len(name) > _LONGEST or not name.isascii():
        raise Refusal("InvalidParameterValue", f"Value ({name}) for parameter KeyName is invalid.")
    if any(pair["KeyName"] == name for pair in call.all(KEY_PAIR)):
        raise Refusal("InvalidKeyPair.Duplicate", f"The keypair already exists: {name}")
    digits = call.cloud.ids.digits("fingerprint", 40)
    return call.make(
        KEY_PAIR,
        {
            "CreateTime": call.now,
            "KeyFingerprint": ":".join(digits[at : at + 2] for at in range(0, 40, 2)),
            "KeyName": name,
            "KeyType": key_type,
        },
    )


def _shown(pair: Thing) -> Data:
    return {name: pair[name] for name in ("KeyFingerprint", "KeyName", "KeyPairId", "Tags")}


def _delete(call: Call) -> Data:
    """Delete a key pair. EC2 answers the deletion of an absent one like any other."""
    for pair in call.all(KEY_PAIR):
        if pair["KeyName"] == call.want("KeyName") or pair.id == call.want("KeyPairId"):
            call.remove(pair)
            return {"Return": True, "KeyPairId": pair.id}
    return {"Return": True}


HANDLERS: Mapping[str, Any] = {
    "CreateKeyPair": _create,
    "DeleteKeyPair": _delete,
    "DescribeKeyPairs": _describe,
    "ImportKeyPair": _import,
}
