"""Rules for JSON documents that are written as texts, for patterns of events, and for mappings of names to texts.

AWS reports a document that is no JSON without a line, and often only when the thing is made.
"""

from collections.abc import Iterator, Mapping

from tenuto.compositions.cloudformation.property_rules.event_patterns import Pattern
from tenuto.compositions.cloudformation.property_rules.json_texts import document
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.values import Texts, Value

_POLICY = "PolicyDocument"
_EMBEDDED = f"Policies.*.{_POLICY}"
_ACCESS = "AccessPolicies"
_EVENT, _FILTER = "EventPattern", "FilterCriteria.Filters.*.Pattern"
_MACHINE = "AWS::StepFunctions::StateMachine"
_DOCUMENTS: Mapping[str, str] = {
    "AWS::Backup::BackupVault": "AccessPolicy",
    "AWS::CloudWatch::Dashboard": "DashboardBody",
    "AWS::EC2::VPCEndpoint": _POLICY,
    "AWS::ECR::Repository": "RepositoryPolicyText",
    "AWS::EFS::FileSystem": "FileSystemPolicy",
    "AWS::Elasticsearch::Domain": _ACCESS,
    "AWS::Events::EventBus": "Policy",
    "AWS::IAM::Group": _EMBEDDED,
    "AWS::IAM::GroupPolicy": _POLICY,
    "AWS::IAM::ManagedPolicy": _POLICY,
    "AWS::IAM::Policy": _POLICY,
    "AWS::IAM::Role": f"AssumeRolePolicyDocument {_EMBEDDED}",
    "AWS::IAM::RolePolicy": _POLICY,
    "AWS::IAM::User": _EMBEDDED,
    "AWS::IAM::UserPolicy": _POLICY,
    "AWS::IoT::Policy": _POLICY,
    "AWS::KMS::Key": "KeyPolicy",
    "AWS::Logs::ResourcePolicy": _POLICY,
    "AWS::OpenSearchService::Domain": _ACCESS,
    "AWS::S3::BucketPolicy": _POLICY,
    "AWS::SNS::TopicPolicy": _POLICY,
    "AWS::SQS::QueuePolicy": _POLICY,
    "AWS::SSO::PermissionSet": "InlinePolicy",
    "AWS::SecretsManager::ResourcePolicy": "ResourcePolicy",
}
"""The paths of the documents, in words, by type; without those that may be in another language too, such as YAML."""
_PATTERNS: Mapping[str, str] = {
    "AWS::Events::Archive": _EVENT,
    "AWS::Events::Rule": _EVENT,
    "AWS::Lambda::EventSourceMapping": _FILTER,
    "AWS::Pipes::Pipe": f"SourceParameters.{_FILTER}",
}
_TEXTS: Mapping[str, str] = {
    "AWS::Glue::Job": "DefaultArguments NonOverridableArguments",
    "AWS::Lambda::Function": "Environment.Variables",
    "AWS::RDS::DBClusterParameterGroup": "Parameters",
    "AWS::RDS::DBParameterGroup": "Parameters",
}
"""The mappings of names to texts of which the published schema takes any value."""
_ALSO = "Write the document as a mapping, or correct the text."


def _rules(type_name: str) -> Iterator[Rule]:
    for path in _DOCUMENTS.get(type_name, "").split():
        yield Value(of=path, form=document(), hint=_ALSO)
    for path in _PATTERNS.get(type_name, "").split():
        yield Value(of=path, form=document())
        yield Pattern(of=path)
    for path in _TEXTS.get(type_name, "").split():
        yield Texts(of=path)
    if type_name == _MACHINE:
        yield Value(
            of="DefinitionString", form=document(is_substituted=True), hint="Write it as a mapping: Definition."
        )


RULES: Mapping[str, tuple[Rule, ...]] = {
    name: tuple(_rules(name)) for name in sorted({*_DOCUMENTS, *_PATTERNS, *_TEXTS, _MACHINE})
}
