"""The Serverless Application Repository, which moto does not have: a stack for each application.

The templates of the repository are not ours to copy, so each application is a topic, with the parameters that are
given; one that rotates secrets is a function with the name that its parameter says.
"""

import json
import re
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from moto import backend_index
from moto.cloudformation import urls
from moto.cloudformation.models import CloudFormationBackend
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.common_types import TYPE_RESPONSE

_HOST = r"https?://serverlessrepo\.(.+)\.amazonaws\.com"
_BEGINNING = "serverlessrepo-"
_NAME = "functionName"
_execute: Any = CloudFormationBackend.execute_change_set


_TOPIC = {"Type": "AWS::SNS::Topic"}
_FUNCTION = {
    "Type": "AWS::Lambda::Function",
    "Properties": {
        "FunctionName": {"Ref": _NAME},
        "Code": {"ZipFile": "def handler(event, context): pass"},
        "Handler": "index.handler",
        "Runtime": "python3.12",
        "Role": {"Fn::GetAtt": ["Role", "Arn"]},
    },
}
_ASSUMED = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
_ROLE = {
    "Type": "AWS::IAM::Role",
    "Properties": {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [_ASSUMED]}},
}


def _template(parameters: dict[str, str]) -> str:
    rotates = _NAME in parameters
    outputs = {"RotationLambdaARN": {"Value": {"Fn::GetAtt": ["Application", "Arn"]}}} if rotates else {}
    whole = {
        "Parameters": {name: {"Type": "String"} for name in parameters},
        "Resources": {"Application": _FUNCTION, "Role": _ROLE} if rotates else {"Application": _TOPIC},
        "Outputs": {**outputs, "Made": {"Value": {"Ref": "Application"}}},
    }
    return json.dumps({name: part for name, part in whole.items() if part})


def _order(request: Any, full_url: str, headers: Any) -> TYPE_RESPONSE:
    """Make a change set, and the stack where there is none of the name."""
    self = CloudFormationResponse()
    self.setup_class(request, full_url, headers)
    backend, sent = self.cloudformation_backend, json.loads(self.body)
    name = f"{_BEGINNING}{sent['stackName']}"
    known = next((one for one in backend.stacks.values() if one.name == name), None)
    parameters = {one["name"]: one["value"] for one in sent.get("parameterOverrides") or ()}
    change, stack = backend.create_change_set(
        stack_name=name,
        change_set_name=sent.get("changeSetName") or f"a{uuid4()}",
        template=_template(parameters),
        parameters=parameters,
        description=sent.get("description") or "",
        change_set_type="CREATE" if known is None else "UPDATE",
        notification_arns=sent.get("notificationArns") or [],
        tags={one["key"]: one["value"] for one in sent.get("tags") or ()},
    )
    made = backend.change_sets[change]
    if known is not None and made.tags != known.tags:
        # moto knows no change that is one of tags alone.
        made.status, made.execution_status, made.status_reason = "CREATE_COMPLETE", "AVAILABLE", ""
    answer = {
        "applicationId": unquote(urlsplit(full_url).path).removeprefix("/applications/").removesuffix("/changesets"),
        "changeSetId": change,
        "semanticVersion": sent.get("semanticVersion") or "1.0.0",
        "stackId": stack,
    }
    return 201, {}, json.dumps(answer)


def _carry_out(self: Any, change_set_name: str, stack_name: str | None = None) -> None:
    """Carry a change set out. moto leaves the outputs, the tags and the topics of a stack as they were."""
    _execute(self, change_set_name, stack_name)
    found = self.change_sets.get(change_set_name)
    if found is None or not found.stack.name.startswith(_BEGINNING):
        return
    stack = found.stack
    for name in ("template_dict", "parameters", "tags", "notification_arns"):
        setattr(stack, name, getattr(found, name))
    stack.output_map = stack._create_output_map()


def add() -> None:
    """Add the call, with the host that it goes to."""
    setattr(CloudFormationBackend, "execute_change_set", _carry_out)  # noqa: B010
    backend_index.backend_url_patterns.append(("cloudformation", re.compile(_HOST)))
    urls.url_bases.append(_HOST)
    urls.url_paths["{0}/applications/(?P<application_id>.+)/changesets$"] = _order
