"""Properties of ordinary types that name a file on this machine until `aws cloudformation package` has been run."""

from tenuto.compositions import codes
from tenuto.compositions.nodes import Broken, Fields, Scalar
from tenuto.compositions.problems import Problems

_LOCAL = {
    "AWS::ApiGateway::RestApi": "BodyS3Location",
    "AWS::CodeCommit::Repository": "Code",
    "AWS::ElasticBeanstalk::ApplicationVersion": "SourceBundle",
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::StepFunctions::StateMachine": "DefinitionS3Location",
}
"""The property of each type that is a mapping in a template, and a path before it is packaged."""
PACKAGE = (
    "Put the code into a bucket first: 'aws cloudformation package --template-file FILE --s3-bucket BUCKET "
    "--output-template-file packaged.yaml' (or 'sam package') uploads it; give packaged.yaml to Tenuto."
)


def check_packaged(name: str, type_name: str, properties: Fields, problems: Problems) -> Fields:
    """The properties, a path in place of code reported and marked broken."""
    entry = properties.entry(_LOCAL.get(type_name, ""))
    if entry is None or not isinstance(entry.value, Scalar) or not isinstance(entry.value.value, str):
        return properties
    detail = f"{entry.name} of {name} is {entry.value.text}, a path on this machine: AWS takes it from a bucket."
    problems.add(codes.NOT_PACKAGED, entry.value, detail, subject=name, hint=PACKAGE)
    broken = Broken(position=entry.value.position)
    return Fields(
        entries=tuple(type(one)(key=one.key, value=broken) if one is entry else one for one in properties.entries),
        position=properties.position,
    )
