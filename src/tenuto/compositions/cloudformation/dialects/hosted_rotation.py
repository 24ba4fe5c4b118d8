"""`HostedRotationLambda` of a rotation schedule: a function of AWS that rotates the secret.

Theory of operation. `AWS::SecretsManager-…` is a program inside CloudFormation that puts a nested stack with the
function in the place of this property. AWS publishes the same functions as applications of the Serverless Application
Repository, so the property becomes such an application, and the schedule gets the function that is its output.
"""

import re
from dataclasses import replace

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Node, Scalar, as_written, scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json
from tenuto.model.serverless_application import APPLICATION

TRANSFORM = re.compile(r"AWS::SecretsManager-\d{4}-\d{2}-\d{2}")
"""The names of the versions of that program."""
_SCHEDULE, _HOSTED, _FUNCTION = "AWS::SecretsManager::RotationSchedule", "HostedRotationLambda", "RotationLambdaARN"
_KIND, _RUNTIME = "RotationType", "Runtime"
_KINDS = re.compile(
    r"(?P<engine>Db2|MariaDB|MongoDB|MySQL|Oracle|PostgreSQL|Redshift|SQLServer)(?P<users>(Single|Multi)User)"
)
_NOT_OF_RDS = ("MongoDB", "Redshift")
_PUBLISHERS = {
    "aws": "us-east-1:297356227824",
    "aws-cn": "cn-north-1:193023089310",
    "aws-us-gov": "us-gov-west-1:023102451235",
}
"""The home of the applications in each partition: region and account."""
_PARAMETERS = {
    "ExcludeCharacters": "excludeCharacters",
    "KmsKeyArn": "kmsKeyArn",
    "MasterSecretArn": "masterSecretArn",
    "MasterSecretKmsKeyArn": "masterSecretKmsKeyArn",
    "RotationLambdaName": "functionName",
    "SuperuserSecretArn": "masterSecretArn",
    "SuperuserSecretKmsKeyArn": "masterSecretKmsKeyArn",
    "VpcSecurityGroupIds": "vpcSecurityGroupIds",
    "VpcSubnetIds": "vpcSubnetIds",
}
"""The members of the property, and the parameters of the applications that say the same."""
_OUTPUT = "Outputs.RotationLambdaARN"
_ALONG = ("Condition", "DeletionPolicy", "UpdateReplacePolicy")
"""The parts of the schedule that hold for its function, too."""


def with_rotations(root: Fields, region: str, problems: Problems) -> Fields:
    """The template with an application in the place of each hosted function. One that AWS does not publish stays."""
    resources = root.get("Resources")
    if not isinstance(resources, Fields):
        return root
    made: list[Entry] = []
    for entry in resources.entries:
        hosted = _hosted(entry)
        application = _application_id(hosted, region) if hosted is not None else ""
        if hosted is None or not application:
            made.append(entry)
            continue
        name = f"{entry.name}Function"
        while name in {*resources.names, *(one.name for one in made)}:
            name = f"{name}X"
        made += [_application(name, entry, application, hosted), _with_function(entry, name)]
        runtime = hosted.entry(_RUNTIME)
        if runtime is not None:
            detail = f"The runtime of the function of {entry.name} is the one that its application has."
            problems.add(codes.SECTION_IGNORED, runtime.key, detail, subject=entry.name)
    if len(made) == len(resources.entries):
        return root
    return _with(root, "Resources", replace(resources, entries=tuple(made)))


def _hosted(entry: Entry) -> Fields | None:
    """The property of a schedule; None for any other resource."""
    kind = entry.value.get("Type") if isinstance(entry.value, Fields) else None
    properties = entry.value.get("Properties") if isinstance(entry.value, Fields) else None
    if not isinstance(kind, Scalar) or kind.text != _SCHEDULE or not isinstance(properties, Fields):
        return None
    hosted = properties.get(_HOSTED)
    return hosted if isinstance(hosted, Fields) else None


def _application(name: str, schedule: Entry, application: str, hosted: Fields) -> Entry:
    """The application, with the attributes of its schedule."""
    at = schedule.key.position
    fixed: dict[str, Json] = {
        "endpoint": {"Fn::Sub": "https://secretsmanager.${AWS::Region}.${AWS::URLSuffix}"},
        "functionName": {"Fn::Sub": f"${{AWS::StackName}}-{schedule.name[:32]}"},
    }
    parameters = as_written(fixed, at)
    for one in hosted.entries:
        if one.name in _PARAMETERS:
            parameters = _with(parameters, _PARAMETERS[one.name], one.value)
    properties = _with(as_written({"Location": {"ApplicationId": application}}, at), "Parameters", parameters)
    made = _with(as_written({"Type": str(APPLICATION)}, at), "Properties", properties)
    assert isinstance(schedule.value, Fields)
    along = tuple(one for one in schedule.value.entries if one.name in _ALONG)
    return Entry(key=scalar(name, at), value=replace(made, entries=(*made.entries, *along)))


def _with_function(schedule: Entry, application: str) -> Entry:
    """The schedule with the function that is an output of the application."""
    at = schedule.key.position
    assert isinstance(schedule.value, Fields)
    properties = schedule.value.get("Properties")
    assert isinstance(properties, Fields)
    kept = replace(properties, entries=tuple(one for one in properties.entries if one.name != _HOSTED))
    function = as_written({"Fn::GetAtt": [application, _OUTPUT]}, at)
    return replace(schedule, value=_with(schedule.value, "Properties", _with(kept, _FUNCTION, function)))


def _application_id(hosted: Fields, region: str) -> str:
    """The ARN of the application that rotates secrets of this kind; empty where AWS publishes none."""
    wanted = hosted.get(_KIND)
    kind = _KINDS.fullmatch(wanted.text) if isinstance(wanted, Scalar) else None
    partition = aws_partition(region).name
    if kind is None or partition not in _PUBLISHERS or not {*hosted.names} <= {_KIND, _RUNTIME, *_PARAMETERS}:
        return ""
    service = "" if kind["engine"] in _NOT_OF_RDS else "RDS"
    name = f"SecretsManager{service}{kind['engine']}Rotation{kind['users']}"
    return f"arn:{partition}:serverlessrepo:{_PUBLISHERS[partition]}:applications/{name}"


def _with(node: Node, name: str, value: Node) -> Fields:
    """The mapping with this value under the name, in its place where it had one."""
    assert isinstance(node, Fields)
    found = node.entry(name)
    if found is None:
        return replace(node, entries=(*node.entries, Entry(key=scalar(name, node.position), value=value)))
    return replace(node, entries=tuple(replace(one, value=value) if one is found else one for one in node.entries))
