"""An id of another form than Tenuto's is not found, and the message says in which form it is written."""

import pytest

from tenuto.errors import NotThereError
from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("AWS::Events::Rule", "EventBusName|Name"),
        ("AWS::Route53::RecordSet", "Name|HostedZoneId|Type"),
        ("AWS::AppConfig::Environment", "ApplicationId|EnvironmentId"),
        ("AWS::EC2::VPC", ""),
        ("AWS::AppSync::Resolver", ""),
    ],
)
def test_a_type_says_how_its_ids_are_written(name: str, form: str) -> None:
    assert CATALOGUE[TypeName(name)].facts.id_form == form


def test_the_message_names_the_form() -> None:
    world = StrictWorld(Cloud)
    with pytest.raises(
        NotThereError, match=r"Correct the identifier, which is written as ApplicationId\|EnvironmentId"
    ):
        world.system.queries.existing(["AWS::AppConfig::Environment live"], region=REGION)
    with pytest.raises(NotThereError, match=r"Correct the identifier, or name the region"):
        world.system.queries.existing(["AWS::EC2::VPC vpc-0123456789abcdef0"], region=REGION)
