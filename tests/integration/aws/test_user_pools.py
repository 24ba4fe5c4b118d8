"""User pools: what Cognito settles for good, what an update leaves alone, and the secret of a client."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.core.language.expressions import KEPT_SECRET
from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Outcome, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

POOL, THING = LogicalId("Pool"), LogicalId("Thing")
SIGNED_IN = {
    "UsernameAttributes": ["email"],
    "Schema": [{"Name": "email", "Required": True}, {"Name": "tenant", "AttributeDataType": "String"}],
}


@pytest.fixture
def bench(
    provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps, request: pytest.FixtureRequest
) -> Bench:
    examples = tuple(
        Example(name=name, type=TypeName(f"AWS::Cognito::{kind}"), properties=properties)
        for name, kind, properties in request.param
    )
    return Bench(
        ProviderCase(
            provider=provider, partition=partition, examples=examples, ids=ids, ops=ops, wait=lambda seconds: None
        )
    )


def changed(bench: Bench, name: LogicalId, **properties: Any) -> Outcome:
    """The outcome of an update of a thing that was seen just before."""
    request = bench.requests[name]
    request = replace(request, properties={**request.properties, **properties})
    request = replace(request, observed=bench.ready(request).properties)
    [outcome] = bench.provider.modify(bench.partition, [request])
    if isinstance(outcome, Done):
        bench.requests[name] = replace(request, attributes={**request.attributes, **outcome.attributes})
    return outcome


@pytest.mark.parametrize("bench", [[(POOL, "UserPool", SIGNED_IN)]], indirect=True)
@pytest.mark.parametrize(
    "change",
    [
        {"UsernameAttributes": ["email", "phone_number"]},
        {"AliasAttributes": ["email"]},
        {"UsernameConfiguration": {"CaseSensitive": True}},
        {"Schema": [{"Name": "tenant", "AttributeDataType": "Number"}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_cognito_settles_at_the_creation_is_refused_and_the_pool_stays(
    bench: Bench, change: dict[str, Any]
) -> None:
    with bench:
        bench.make_all()
        before = len(bench.case.ops.all)
        outcome = changed(bench, POOL, UserPoolName="another name", **change)
        assert isinstance(outcome, Refused)
        assert "Cognito settles" in outcome.message
        assert len(bench.case.ops.all) == before, "a part of the change was carried out"


@pytest.mark.parametrize("bench", [[(POOL, "UserPool", SIGNED_IN)]], indirect=True)
def test_an_attribute_of_users_is_added_and_one_that_is_taken_out_stays(bench: Bench) -> None:
    with bench:
        bench.make_all()
        plan = {"Name": "plan", "AttributeDataType": "String"}
        assert isinstance(changed(bench, POOL, Schema=[plan]), Done)
        shown = bench.ready(bench.requests[POOL]).properties["Schema"]
        assert {"email", "tenant", "plan"} <= {one["Name"] for one in shown}
        before = len(bench.case.ops.all)
        assert isinstance(changed(bench, POOL, Schema=[plan]), Done)
        assert len(bench.case.ops.all) == before, "it was sent again"


@pytest.mark.parametrize("bench", [[(POOL, "UserPool", {"UserPoolTags": {"team": "web"}})]], indirect=True)
def test_an_update_leaves_what_is_not_declared_as_it_is(bench: Bench, stranger: Callable[[str], Any]) -> None:
    """Cognito resets what an update is not given: triggers that another writer set would be lost, and our mark."""
    with bench:
        bench.make_all()
        cognito, pool = stranger("cognito-idp"), str(bench.requests[POOL].physical_id)
        trigger = {"PreSignUp": "arn:aws:lambda:us-east-1:123456789012:function:check"}
        tags = cognito.describe_user_pool(UserPoolId=pool)["UserPool"]["UserPoolTags"]
        cognito.update_user_pool(UserPoolId=pool, LambdaConfig=trigger)
        for properties in ({"AutoVerifiedAttributes": ["email"]}, {"EmailVerificationMessage": "It is {####}"}):
            assert isinstance(changed(bench, POOL, **properties), Done)
            found = cognito.describe_user_pool(UserPoolId=pool)["UserPool"]
            assert found["LambdaConfig"] == trigger
            assert found["UserPoolTags"] == tags
        bench.check_marked(bench.requests[POOL])


CLIENT = {"UserPoolId": {"Ref": "Pool"}, "GenerateSecret": True}


@pytest.mark.parametrize("bench", [[(POOL, "UserPool", {}), (THING, "UserPoolClient", CLIENT)]], indirect=True)
def test_the_secret_of_a_client_is_a_reference_which_the_phases_read(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    with bench:
        bench.make_all()
        made = bench.requests[THING]
        pool, client = str(made.physical_id).split("|")
        told = stranger("cognito-idp").describe_user_pool_client(UserPoolId=pool, ClientId=client)["UserPoolClient"]
        item = bench.ready(made)
        assert item.attributes["Ref"] == client
        reference = item.attributes["ClientSecret"][KEPT_SECRET]
        for kept in (made.attributes, item.attributes, item.properties):
            assert told["ClientSecret"] not in str(kept)
        missing = f"{reference}x"
        found = bench.provider.lookup(bench.partition, [reference, missing])
        assert found == {reference: told["ClientSecret"]}


MAPPING = {"Type": "Token", "AmbiguousRoleResolution": "Deny"}
ROLES = {
    "IdentityPoolId": {"Ref": "Pool"},
    "RoleMappings": {
        "web": {"IdentityProvider": "graph.facebook.com", **MAPPING},
        "accounts.google.com": MAPPING,
    },
}


@pytest.mark.parametrize(
    "bench",
    [[(POOL, "IdentityPool", {"AllowUnauthenticatedIdentities": False}), (THING, "IdentityPoolRoleAttachment", ROLES)]],
    indirect=True,
)
def test_mappings_of_roles_are_sent_by_their_providers(bench: Bench, stranger: Callable[[str], Any]) -> None:
    with bench:
        bench.make_all()
        pool = str(bench.requests[THING].physical_id)
        told = stranger("cognito-identity").get_identity_pool_roles(IdentityPoolId=pool)
        assert told["RoleMappings"] == {"graph.facebook.com": MAPPING, "accounts.google.com": MAPPING}
        before = len(bench.case.ops.all)
        assert isinstance(changed(bench, THING), Done)
        assert len(bench.case.ops.all) == before, "it was sent again"
