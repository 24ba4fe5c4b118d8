"""The parameter store, as far as key pairs and compositions use it."""

from collections.abc import Mapping
from typing import Any

from tenuto.testing.cloud.call import Call
from tenuto.testing.cloud.wire.messages import Refusal
from tenuto.testing.cloud.world import Data, Kind, Thing

PARAMETER = Kind(name="parameter", prefix="", id_name="Name", not_found="ParameterNotFound")
_LONGEST = 4096
_IMAGES = "/aws/service/ami-amazon-linux-latest/"


def _known(call: Call, name: str) -> Thing | None:
    return call.place.table(PARAMETER).things.get(name)


def _put(call: Call) -> Data:
    name, present = call.want("Name"), _known(call, call.want("Name"))
    if name.startswith(("/aws", "/ssm")):
        raise Refusal("AccessDeniedException", f"No access to reserved parameter name: {name}.")
    if present is not None and not call.want("Overwrite"):
        raise Refusal("ParameterAlreadyExists", "The parameter already exists. To overwrite it, say so in the request.")
    if present is not None and call.want("Tags"):
        raise Refusal("ValidationException", "Tags and Overwrite can't be used together.")
    if len(call.want("Value")) > _LONGEST:
        raise Refusal("ValidationException", "Standard tier parameters support a maximum of 4096 characters.")
    version = present["Version"] + 1 if present else 1
    data = {**call.copied("Value", "Description"), "Type": call.want("Type", "String"), "Version": version}
    if present is not None:
        call.edit(present).update(data)
    else:
        call.make(PARAMETER, data, id=name, is_asked_for=False).data["Tags"] = call.want("Tags") or []
    return {"Version": version, "Tier": "Standard"}


def _shown(call: Call, parameter: Thing) -> Data:
    value = parameter["Value"]
    if parameter["Type"] == "SecureString" and not call.want("WithDecryption"):
        value = "AQICAHencrypted"
    return {
        "ARN": f"arn:aws:ssm:{call.region}:{call.account}:parameter/{parameter.id.lstrip('/')}",
        "DataType": "text",
        "LastModifiedDate": call.now,
        "Name": parameter.id,
        "Type": parameter["Type"],
        "Value": value,
        "Version": parameter["Version"],
    }


def _get(call: Call) -> Data:
    found = _public(call, call.want("Name"))
    if found is None:
        raise Refusal("ParameterNotFound", "")
    return {"Parameter": found}


def _get_all(call: Call) -> Data:
    found = {name: _public(call, name) for name in call.want("Names")}
    return {
        "InvalidParameters": [name for name, value in found.items() if value is None],
        "Parameters": [value for value in found.values() if value is not None],
    }


def _public(call: Call, name: str) -> Data | None:
    """A parameter of the account, or one that AWS publishes: the latest machine images."""
    parameter = _known(call, name)
    if parameter is not None:
        return _shown(call, parameter)
    if not name.startswith(_IMAGES):
        return None
    return {"Name": name, "Type": "String", "Value": call.cloud.images[0], "Version": 1, "DataType": "text"}


def _delete(call: Call) -> Data:
    parameter = _known(call, call.want("Name"))
    if parameter is None:
        raise Refusal("ParameterNotFound", "")
    call.remove(parameter)
    return {}


HANDLERS: Mapping[str, Any] = {
    "DeleteParameter": _delete,
    "GetParameter": _get,
    "GetParameters": _get_all,
    "PutParameter": _put,
}
