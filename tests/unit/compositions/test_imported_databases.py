"""A database and its groups that are imported together refer to each other, and so are made in the right order."""

import pytest

from tenuto.compositions.existing import Thing, template_of
from tenuto.model.ids import Json, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.providers.aws.types.catalogue import CATALOGUE

REGION = "us-east-1"


def thing(type_name: str, physical_id: str, **properties: Json) -> Thing:
    item = ObservedItem(physical_id=PhysicalId(physical_id), properties=properties)
    return Thing(facts=CATALOGUE[TypeName(type_name)].facts, item=item)


DATABASE = thing(
    "AWS::RDS::DBInstance",
    "shop",
    DBInstanceIdentifier="shop",
    Engine="postgres",
    DBInstanceClass="db.t3.micro",
    AllocatedStorage="20",
    MasterUsername="keeper",
    DBSubnetGroupName="hsub",
    DBParameterGroupName="tuned",
)
GROUPS = {
    "DBSubnetGroupName": thing(
        "AWS::RDS::DBSubnetGroup",
        "hsub",
        DBSubnetGroupName="hsub",
        DBSubnetGroupDescription="for the shop",
        SubnetIds=["subnet-1", "subnet-2"],
    ),
    "DBParameterGroupName": thing(
        "AWS::RDS::DBParameterGroup", "tuned", DBParameterGroupName="tuned", Family="postgres15", Description="for it"
    ),
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_database_refers_to_its_group(name: str) -> None:
    resources = template_of([DATABASE, GROUPS[name]], region=REGION)["Resources"]
    group = name.removesuffix("Name")
    assert resources["DBInstance"]["Properties"][name] == {"Ref": group}
    assert isinstance(resources[group]["Properties"][name], str)


def test_the_document_of_a_database_compiles_without_its_password() -> None:
    [database] = template_of([DATABASE], region=REGION)["Resources"].values()
    assert database["Properties"]["MasterUsername"] == "keeper"
