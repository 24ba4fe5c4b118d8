"""AWS::AppSync: GraphQL APIs, and the things that hang on them, without the schema, which has a module of its own.

The ids are those that Cloud Control gives: ARNs, and of a key the two parts of one. The things that hang on an API are
read by one list for each API, or type of it. An update is told everything: a property that it is not told is reset.
"""

from dataclasses import replace

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, undeclared
from tenuto.providers.aws.blocks.ids import parts_in
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.s3_text import text_at
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "appsync"
_LARGEST_BYTES = 64 * 1024
_TEXTS = ("Code", "RequestMappingTemplate", "ResponseMappingTemplate")
_PLACE = "S3Location"


def _endpoint(api: JsonMap) -> str | None:
    """The ARN of the endpoint of an API, which has the first word of its host in place of its id."""
    host = str((api.get("dns") or {}).get("GRAPHQL", ""))
    return f"{str(api['arn']).rpartition(':')[0]}:endpoints/graphql-api/{host.partition('.')[0]}" if host else None


API = block(
    "AWS::AppSync::GraphQLApi",
    _SERVICE,
    key="apis/apiId",
    listed=Listed(operation="ListGraphqlApis", id="arn", size=25),
    asked=Call("GetGraphqlApi"),
    create="CreateGraphqlApi",
    made="graphqlApi.arn",
    modify={Call("UpdateGraphqlApi", fills=undeclared): "*"},
    delete="DeleteGraphqlApi",
    parts=(
        Setting(
            name="EnvironmentVariables",
            read_by=Call("GetGraphqlApiEnvironmentVariables"),
            write_by=Call("PutGraphqlApiEnvironmentVariables"),
            shown_at="environmentVariables",
            given_as="environmentVariables",
        ),
    ),
    attributes={
        "GraphQLDns": "dns.GRAPHQL",
        "GraphQLEndpointArn": _endpoint,
        "GraphQLUrl": "uris.GRAPHQL",
        "RealtimeDns": "dns.REALTIME",
        "RealtimeUrl": "uris.REALTIME",
    },
    tags=TagCalls(
        service=_SERVICE,
        id_name="resourceArn",
        given_as="tags",
        keys_as="tagKeys",
        shown_at="tags",
        is_mapping=True,
    ),
    # No call changes these two.
    create_only="ApiType Visibility",
    compare_as={"AdditionalAuthenticationProviders": Comparison.SET},
    defaults={
        **dict.fromkeys(("AdditionalAuthenticationProviders", "EnhancedMetricsConfig", "LambdaAuthorizerConfig")),
        **dict.fromkeys(("LogConfig", "MergedApiExecutionRoleArn", "OpenIDConnectConfig", "UserPoolConfig")),
        "EnvironmentVariables": {},
        "IntrospectionConfig": "ENABLED",
        "OwnerContact": None,
        "QueryDepthLimit": 0,
        "ResolverCountLimit": 0,
        "XrayEnabled": False,
    },
)

SOURCE = block(
    "AWS::AppSync::DataSource",
    _SERVICE,
    key="apis/apiId/datasources/name",
    named=Named("Name", 65536),
    beside=Listed(operation="ListDataSources", id="dataSourceArn", size=25, given={"apiId": "ApiId"}, is_swept=True),
    asked=Call("GetDataSource"),
    create="CreateDataSource",
    made="dataSource.dataSourceArn",
    modify={Call("UpdateDataSource", fills=undeclared): "*"},
    delete="DeleteDataSource",
    attributes={"Name": "name"},
    exclusive=[("ApiId", "Name")],
    defaults={
        **dict.fromkeys(("Description", "DynamoDBConfig", "ElasticsearchConfig", "EventBridgeConfig", "HttpConfig")),
        **dict.fromkeys(("LambdaConfig", "MetricsConfig", "OpenSearchServiceConfig", "RelationalDatabaseConfig")),
        "ServiceRoleArn": None,
    },
)


def _with_texts(work: Work) -> Work:
    """The work with the texts of code and templates that the composition names by a place in S3."""
    places = {name: work.want(f"{name}{_PLACE}") for name in _TEXTS}
    found = {name: _text(work, str(place)) for name, place in places.items() if place is not None}
    properties = {**work.request.properties, **found}
    return replace(work, request=replace(work.request, properties=properties)) if found else work


def _text(work: Work, place: str) -> str:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    return text_at(work, {"Bucket": bucket, "Key": key}, _LARGEST_BYTES, "AppSync")


def _told(kind: AwsType) -> AwsType:
    """A type whose code and templates may stand in S3."""
    create, modify = kind.create, kind.modify
    assert modify is not None
    return replace(kind, create=lambda work: create(_with_texts(work)), modify=lambda work: modify(_with_texts(work)))


def _kept(given: JsonMap, shown: JsonMap) -> JsonMap:
    """The undeclared part of a description that an update sends again: not the texts, of which one kind excludes the
    other."""
    return {name: value for name, value in undeclared(given, shown).items() if name.casefold() not in _FOLDED}


_FOLDED = frozenset(name.casefold() for name in _TEXTS) | {"runtime"}
_EITHER = [(name, f"{name}{_PLACE}") for name in _TEXTS]

RESOLVER = _told(
    block(
        "AWS::AppSync::Resolver",
        _SERVICE,
        key="apis/apiId/types/typeName/resolvers/fieldName",
        beside=Listed(
            operation="ListResolvers",
            id="resolverArn",
            given={"apiId": "ApiId", "typeName": "TypeName"},
            size=25,
            is_swept=True,
        ),
        asked=Call("GetResolver"),
        create="CreateResolver",
        made="resolver.resolverArn",
        modify={Call("UpdateResolver", fills=_kept): "*"},
        delete="DeleteResolver",
        attributes={"FieldName": "fieldName", "TypeName": "typeName"},
        exclusive=[("ApiId", "TypeName", "FieldName")],
        synonyms=_EITHER,
        defaults={
            **dict.fromkeys((*_TEXTS, "CachingConfig", "DataSourceName", "MetricsConfig", "PipelineConfig")),
            **dict.fromkeys(("Runtime", "SyncConfig")),
            "Kind": "UNIT",
            "MaxBatchSize": 0,
        },
    )
)

FUNCTION = _told(
    block(
        "AWS::AppSync::FunctionConfiguration",
        _SERVICE,
        key="apis/apiId/functions/functionId",
        beside=Listed(operation="ListFunctions", id="functionArn", size=25, given={"apiId": "ApiId"}, is_swept=True),
        asked=Call("GetFunction"),
        create="CreateFunction",
        made="functionConfiguration.functionArn",
        modify={Call("UpdateFunction", fills=_kept): "*"},
        delete="DeleteFunction",
        attributes={"DataSourceName": "dataSourceName", "Name": "name"},
        synonyms=_EITHER,
        defaults={**dict.fromkeys((*_TEXTS, "Description", "Runtime", "SyncConfig")), "MaxBatchSize": 0},
    )
)

_WORDS = "apiId id"
_KEY = block(
    "AWS::AppSync::ApiKey",
    _SERVICE,
    key=_WORDS,
    beside=Listed(operation="ListApiKeys", id="$apiId id", size=25, given={"apiId": "ApiId"}, is_swept=True),
    create="CreateApiKey",
    made="apiId apiKey.id",
    modify={"UpdateApiKey": "*"},
    delete="DeleteApiKey",
    # Nothing shows the ARN of a key: it is made of the API's.
    attributes={"ApiKey": "id", "ApiKeyId": "id", "Arn": "arn", "Ref": "arn"},
    compare_as={"Expires": Comparison.HOUR},
)


def _with_arn(work: Work, outcome: Outcome) -> Outcome:
    """The outcome of work on a key, with the ARN that its Ref gives."""
    if not isinstance(outcome, Done) or outcome.physical_id is None:
        return outcome
    api, key = parts_in(_WORDS, outcome.physical_id)
    arn = f"{work.read(_SERVICE, 'GetGraphqlApi', apiId=api)['graphqlApi']['arn']}/apikeys/{key}"
    return replace(outcome, attributes={**outcome.attributes, "Arn": arn, "Ref": arn})


def _modify_key(work: Work) -> Outcome:
    modify = _KEY.modify
    assert modify is not None
    return _with_arn(work, modify(work))


KEY = replace(_KEY, create=lambda work: _with_arn(work, _KEY.create(work)), modify=_modify_key)
TYPES = (API, SOURCE, RESOLVER, FUNCTION, KEY)
