"""Rules for events, messages, gateways, identities, and the services that watch and build."""

from collections.abc import Mapping

from tenuto.compositions.cloudformation.property_rules.companions import Companions
from tenuto.compositions.cloudformation.property_rules.conditions import DECLARED, unless, words
from tenuto.compositions.cloudformation.property_rules.forms import all_of, begins, between, fits, one_of
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.schedules import schedule
from tenuto.compositions.cloudformation.property_rules.values import Named, Order, Unique, Value
from tenuto.kit.digits import is_digits

_WHEN = "Write it as rate(5 minutes) or as cron(0 12 * * ? *)."
_CACHES = ("DistributionConfig.DefaultCacheBehavior", "DistributionConfig.CacheBehaviors.*")
_METHOD_CODES = words("http http_proxy aws aws_proxy")
_STAGE = "letters, digits, hyphens and underscores"
_ARN = begins("arn:")


def _named(kind: str, name: str, longest: int) -> tuple[Rule, ...]:
    """The name of a queue or of a topic."""
    told = f"have at most {longest} letters, digits, hyphens and underscores"
    plain = all_of(fits(r"(?!.*\.fifo$).*", "not end with .fifo"), fits(rf"[A-Za-z0-9_-]{{1,{longest}}}", told))
    fifo = all_of(
        fits(r".*\.fifo", "end with .fifo"),
        fits(rf"(?=.{{1,{longest}}}$)[A-Za-z0-9_-]+\.fifo", f"{told} with its .fifo"),
    )
    return (
        Value(when={kind: words("true")}, of=name, form=fifo),
        Value(when={kind: unless("false")}, of=name, form=plain),
    )


def _endpoints(path: str = "") -> tuple[Rule, ...]:
    """A subscription of a topic."""
    forms = {"http": begins("http://"), "https": begins("https://"), "lambda sqs firehose application": _ARN}
    mail = fits("[^@]+@[^@]+", "be a mail address")
    return (
        *(Value(path=path, when={"Protocol": words(one)}, of="Endpoint", form=form) for one, form in forms.items()),
        Value(path=path, when={"Protocol": words("email email-json")}, of="Endpoint", form=mail),
    )


def _period(text: str) -> str:
    if not is_digits(text) or text in ("10", "20", "30"):
        return ""
    return "" if int(text) and int(text) % 60 == 0 else "and must be 10, 20, 30 or a multiple of 60"


_BUILT_FROM_PLACES = words("codecommit github github_enterprise bitbucket s3")

RULES: Mapping[str, tuple[Rule, ...]] = {
    "AWS::Athena::WorkGroup": (
        Value(of="Name", form=fits("[A-Za-z0-9._-]{1,128}", "have only letters, digits and . _ -, at most 128")),
    ),
    "AWS::ApiGateway::Authorizer": (
        Companions(when={"Type": words("token request")}, needs=("AuthorizerUri",)),
        Companions(when={"Type": words("cognito_user_pools")}, needs=("ProviderARNs",)),
    ),
    "AWS::ApiGateway::Method": (
        Companions(when={"AuthorizationType": words("custom cognito_user_pools")}, needs=("AuthorizerId",)),
        Companions(path="Integration", when={"Type": _METHOD_CODES}, needs=("IntegrationHttpMethod",)),
        Value(of="HttpMethod", form=one_of("ANY DELETE GET HEAD OPTIONS PATCH POST PUT")),
    ),
    "AWS::ApiGateway::RestApi": (Companions(needs_one=("Name", "Body", "BodyS3Location", "CloneFrom")),),
    "AWS::ApiGateway::Stage": (
        Value(of="StageName", form=fits(r"[A-Za-z0-9_-]{1,128}", f"have at most 128 {_STAGE}")),
    ),
    "AWS::ApiGatewayV2::Api": (
        Companions(needs_one=("Name", "Body", "BodyS3Location")),
        Companions(when={"Name": DECLARED, "Body": unless(), "BodyS3Location": unless()}, needs=("ProtocolType",)),
        Companions(when={"ProtocolType": words("websocket")}, needs=("RouteSelectionExpression",)),
    ),
    "AWS::ApiGatewayV2::Stage": (
        Value(
            of="StageName", form=fits(r"\$default|[A-Za-z0-9_-]{1,128}", f"be $default, or have at most 128 {_STAGE}")
        ),
    ),
    "AWS::CloudFront::Distribution": tuple(
        rule
        for path in _CACHES
        for rule in (
            Order(path=path, low="MinTTL", high="DefaultTTL"),
            Order(path=path, low="DefaultTTL", high="MaxTTL"),
            Order(path=path, low="MinTTL", high="MaxTTL"),
        )
    )
    + tuple(
        Named(
            path="DistributionConfig",
            when={"Origins": DECLARED},
            of=f"{path.removeprefix('DistributionConfig.')}.TargetOriginId",
            among="Origins.*.Id",
            beside="OriginGroups.Items.*.Id",
        )
        for path in _CACHES
    ),
    "AWS::CloudWatch::Alarm": (
        Companions(
            when={"MetricName": DECLARED},
            needs=("Namespace", "Period"),
            needs_one=("Statistic", "ExtendedStatistic"),
        ),
        Value(of="Period", form=_period),
    ),
    "AWS::CodeBuild::Project": (
        Companions(path="Artifacts", when={"Type": words("s3")}, needs=("Location",)),
        Companions(path="Source", when={"Type": _BUILT_FROM_PLACES}, needs=("Location",)),
    ),
    "AWS::Cognito::UserPool": (Companions(when={"UsernameAttributes": DECLARED}, excludes=("AliasAttributes",)),),
    "AWS::Events::Rule": (
        Value(of="ScheduleExpression", form=schedule(is_plural_told=True), hint=_WHEN),
        Companions(path="Targets.*", when={"Input": DECLARED}, excludes=("InputPath", "InputTransformer")),
        Companions(path="Targets.*", when={"InputPath": DECLARED}, excludes=("InputTransformer",)),
    ),
    "AWS::Glue::Job": (Companions(when={"NumberOfWorkers": DECLARED}, excludes=("MaxCapacity",)),),
    "AWS::Glue::Trigger": (
        Companions(when={"Type": words("scheduled")}, needs=("Schedule",)),
        Companions(when={"Type": words("conditional")}, needs=("Predicate",)),
    ),
    "AWS::SNS::Subscription": (Value(of="TopicArn", form=_ARN), *_endpoints()),
    "AWS::SNS::Topic": (*_named("FifoTopic", "TopicName", 256), *_endpoints("Subscription.*")),
    "AWS::SQS::Queue": (
        *_named("FifoQueue", "QueueName", 80),
        Companions(
            when={"FifoQueue": unless("false"), "ContentBasedDeduplication": words("true")},
            excludes=("ContentBasedDeduplication",),
        ),
        Companions(path="RedrivePolicy", when={"deadLetterTargetArn": DECLARED}, needs=("maxReceiveCount",)),
        Companions(path="RedrivePolicy", when={"maxReceiveCount": DECLARED}, needs=("deadLetterTargetArn",)),
        Value(of="RedrivePolicy.maxReceiveCount", form=between(1, 1_000)),
    ),
    "AWS::Scheduler::Schedule": (Value(of="ScheduleExpression", form=schedule(), hint=_WHEN),),
    "AWS::StepFunctions::StateMachine": (
        Companions(needs_one=("DefinitionString", "Definition", "DefinitionS3Location")),
    ),
    "AWS::WAFv2::WebACL": (
        Companions(path="Rules.*", needs_one=("Action", "OverrideAction")),
        Unique(of="Rules.*.Priority"),
    ),
}
