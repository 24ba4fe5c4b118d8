"""Properties of ordinary types that name a file on this machine until `aws cloudformation package` has been run."""

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Entry, Fields, Scalar
from tenuto.compositions.diagnostics.problems import Problems

_LOCAL = {
    "AWS::ApiGateway::RestApi": "BodyS3Location",
    "AWS::CodeCommit::Repository": "Code",
    "AWS::ElasticBeanstalk::ApplicationVersion": "SourceBundle",
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::StepFunctions::StateMachine": "DefinitionS3Location",
}
"""The property of each type that is a mapping in a template, and a path before it is packaged."""
_TEXTS = ("CodeS3Location", "RequestMappingTemplateS3Location", "ResponseMappingTemplateS3Location")
_ADDRESSED = {
    "AWS::AppSync::FunctionConfiguration": _TEXTS,
    "AWS::AppSync::GraphQLSchema": ("DefinitionS3Location",),
    "AWS::AppSync::Resolver": _TEXTS,
}
"""The properties of each type that are an address in S3, and a path before it is packaged."""
PACKAGE = (
    "Put the code into a bucket first: 'aws cloudformation package --template-file FILE --s3-bucket BUCKET "
    "--output-template-file packaged.yaml' (or 'sam package') uploads it; give packaged.yaml to Tenuto."
)


def check_packaged(name: str, type_name: str, properties: Fields, problems: Problems) -> Fields:
    """The properties, each path in place of code reported and marked broken."""
    if type_name not in _LOCAL and type_name not in _ADDRESSED:
        return properties

    def checked(entry: Entry) -> Entry:
        value = entry.value
        if not isinstance(value, Scalar) or not _is_path(type_name, entry.name, value):
            return entry
        detail = f"{entry.name} of {name} is {value.text}, a path on this machine: AWS takes it from a bucket."
        problems.add(codes.NOT_PACKAGED, value, detail, subject=name, hint=PACKAGE)
        return Entry(key=entry.key, value=Broken(position=value.position))

    return Fields(entries=tuple(map(checked, properties.entries)), position=properties.position)


def _is_path(type_name: str, name: str, value: Scalar) -> bool:
    if not isinstance(value.value, str):
        return False
    is_addressed = name in _ADDRESSED.get(type_name, ()) and not value.text.startswith(("s3://", "https://"))
    return name == _LOCAL.get(type_name) or is_addressed
