"""Who calls, and temporary credentials of other accounts."""

import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

_ROLE = re.compile(r"arn:aws[\w-]*:iam::(\d{12}):role/(.+)")


def _identity(call: Call) -> Data:
    session = call.cloud.sessions.get(call.caller)
    if session:
        return {"Account": call.account, "Arn": session, "UserId": f"AROA{call.caller[4:]}:session"}
    return {"Account": call.account, "Arn": f"arn:aws:iam::{call.account}:user/tester", "UserId": "AIDATESTER"}


def _assume(call: Call) -> Data:
    match = _ROLE.fullmatch(call.want("RoleArn"))
    if match is None:
        raise Refusal("ValidationError", f"{call.want('RoleArn')} is invalid")
    account, role = match[1], match[2].rpartition("/")[2]
    name = call.want("RoleSessionName")
    key = f"ASIA{call.cloud.ids.letters('session-key', 16)}"
    arn = f"arn:aws:sts::{account}:assumed-role/{role}/{name}"
    call.cloud.accounts[key] = account
    call.cloud.sessions[key] = arn
    return {
        "AssumedRoleUser": {"Arn": arn, "AssumedRoleId": f"AROA{call.cloud.ids.letters('role-id', 17)}:{name}"},
        "Credentials": {
            "AccessKeyId": key,
            "Expiration": call.now + call.want("DurationSeconds", 3600),
            "SecretAccessKey": call.cloud.ids.digits("secret", 40),
            "SessionToken": call.cloud.ids.digits("session-token", 64),
        },
    }


HANDLERS: Mapping[str, Any] = {"AssumeRole": _assume, "GetCallerIdentity": _identity}
