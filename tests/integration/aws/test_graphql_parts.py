"""Parts of a GraphQL API: texts from a bucket, texts that exclude each other, and what others set."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from block_examples import BenchOf

from tenuto.model.ids import Json, JsonMap, LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench, Example

CODE = "export function request(ctx) { return {}; }"
RUNTIME = {"Name": "APPSYNC_JS", "RuntimeVersion": "1.0.0"}
TEMPLATE = '{"version": "2018-05-29"}'


def example(name: str, kind: str, **properties: Json) -> Example:
    return Example(name=LogicalId(name), type=TypeName(f"AWS::AppSync::{kind}"), properties=properties)


API = example("Api", "GraphQLApi", Name="shop", AuthenticationType="API_KEY")
OF_API: Json = {"Fn::GetAtt": ["Api", "ApiId"]}
SOURCE = example("Source", "DataSource", ApiId=OF_API, Name="orders", Type="NONE")
FROM: Json = {"Fn::GetAtt": ["Source", "Name"]}


def resolver(field: str, **properties: Json) -> Example:
    more = {"ApiId": OF_API, "TypeName": "Query", "FieldName": field, "DataSourceName": FROM, **properties}
    return example(field.title(), "Resolver", **more)


def shown(stranger: Callable[[str], Any], bench: Bench, name: str) -> Any:
    """The resolvers of the API by their fields, one of them."""
    api = str(bench.requests[LogicalId("Api")].physical_id).rpartition("/")[2]
    found = stranger("appsync").list_resolvers(apiId=api, typeName="Query")["resolvers"]
    return next(one for one in found if one["fieldName"] == name)


def declared(bench: Bench, name: str, taken: tuple[str, ...] = (), **properties: Json) -> None:
    """Another declaration of a resolver, with what the planner gives back of what was taken out."""
    request = bench.requests[LogicalId(name)]
    kept: JsonMap = {key: value for key, value in request.properties.items() if key not in taken}
    defaults = bench.types[request.type].defaults
    back = {key: defaults[key] for key in taken if key in defaults}
    request = replace(request, properties={**kept, **back, **properties}, observed=bench.ready(request).properties)
    outcome = bench.until_done(bench.provider.modify, request)
    assert isinstance(outcome, Done)
    bench.requests[LogicalId(name)] = replace(request, attributes={**request.attributes, **outcome.attributes})


def test_code_may_stand_in_a_bucket_and_is_read_when_another_place_is_declared(
    bench_of: BenchOf, stranger: Callable[[str], Any]
) -> None:
    stranger("s3").create_bucket(Bucket="code")
    for key in ("first.js", "second.js"):
        stranger("s3").put_object(Bucket="code", Key=key, Body=f"// {key}\n{CODE}".encode())
    orders = resolver("orders", Runtime=RUNTIME, CodeS3Location="s3://code/first.js")
    with bench_of((API, SOURCE, orders)) as bench:
        bench.make_all()
        assert shown(stranger, bench, "orders")["code"].startswith("// first.js")
        request = bench.requests[LogicalId("Orders")]
        assert bench.differing(request, bench.ready(request)) == ()
        declared(bench, "Orders", CodeS3Location="s3://code/second.js")
        assert shown(stranger, bench, "orders")["code"].startswith("// second.js")


def test_templates_go_when_code_comes(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    with bench_of((API, SOURCE, resolver("orders", RequestMappingTemplate=TEMPLATE))) as bench:
        bench.make_all()
        declared(bench, "Orders", ("RequestMappingTemplate",), Code=CODE, Runtime=RUNTIME)
        now = shown(stranger, bench, "orders")
        assert (now["code"], now.get("requestMappingTemplate")) == (CODE, None)


def test_an_update_keeps_what_nobody_declares(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    with bench_of((API, SOURCE, resolver("orders", RequestMappingTemplate=TEMPLATE))) as bench:
        bench.make_all()
        api = str(bench.requests[LogicalId("Api")].physical_id).rpartition("/")[2]
        about = {"apiId": api, "typeName": "Query", "fieldName": "orders", "dataSourceName": "orders"}
        stranger("appsync").update_resolver(**about, requestMappingTemplate=TEMPLATE, maxBatchSize=7)
        declared(bench, "Orders", RequestMappingTemplate='{"version": "2017-02-28"}')
        assert shown(stranger, bench, "orders")["maxBatchSize"] == 7


def test_two_resolvers_of_one_text_are_told_apart(bench_of: BenchOf) -> None:
    pair = (resolver("first", RequestMappingTemplate=TEMPLATE), resolver("second", RequestMappingTemplate=TEMPLATE))
    with bench_of((API, SOURCE, *pair)) as bench:
        bench.make_all()
        for name in ("First", "Second"):
            request = bench.requests[LogicalId(name)]
            asked = replace(request, physical_id=None, observed=None, attributes={})
            (found,) = bench.provider.find(bench.partition, [asked])
            assert found is not None
            assert found.physical_id == request.physical_id


def test_the_ref_of_a_key_is_an_arn_of_its_api(bench_of: BenchOf) -> None:
    with bench_of((API, example("Key", "ApiKey", ApiId=OF_API))) as bench:
        api, key = bench.make_all()
        assert key.attributes["Ref"] == f"{api.physical_id}/apikeys/{key.attributes['ApiKeyId']}"
        assert bench.ready(key).attributes["ApiKey"] == key.attributes["ApiKeyId"]
