"""All that is drawn for the strict cloud, besides compositions."""

from fnmatch import fnmatchcase
from functools import cache
from random import Random

from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap, TypeName
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.cloud.services import services
from tenuto_testing.simulation import strict_unblocked
from tenuto_testing.simulation.scenery import Scenery, Traits
from tenuto_testing.simulation.steps import Add, Trouble
from tenuto_testing.simulation.strict import FAILURES, StrictGround
from tenuto_testing.simulation.strict_drawing import ADDRESS, BUCKET, VPC, allowing
from tenuto_testing.simulation.strict_properties import REPERTOIRE


def _is_action(pattern: str) -> bool:
    """Whether a pattern is one of an action that the strict cloud serves."""
    return any(fnmatchcase(action, pattern) for action in _actions())


@cache
def _actions() -> frozenset[str]:
    return frozenset(action for service in services().values() for action in service.handlers)


def _draw_traits(rng: Random) -> Traits:
    return {
        "new_s": rng.choice((0.0, 0.0, 2.0, 6.0)),
        "changed_s": rng.choice((0.0, 0.0, 3.0)),
        "flickering": float(rng.random() < 0.3),
        "pace": rng.choice((0.0, 1.0, 1.0)),
        "buckets": rng.choice((0.0, 1.0, 0.1)),
    }


def _draw_fault(rng: Random) -> Trouble:
    return Trouble(
        kind=rng.choice(sorted(FAILURES)),
        operation=rng.choice(_TROUBLED),
        subject="*",
        times=rng.choice((1, 1, 2, 5, 20)),
        seconds=rng.choice((3.0, 20.0, 45.0)),
    )


def _draw_add(rng: Random) -> Add:
    number = rng.randrange(100, 200)
    drawn: tuple[tuple[TypeName, JsonMap], ...] = (
        (VPC, {"CidrBlock": f"10.{number}.0.0/16"}),
        (BUCKET, {"BucketName": f"not-yours-{number}"}),
        (ADDRESS, {"Domain": "vpc"}),
    )
    type_name, properties = rng.choice(drawn)
    return Add(type=type_name, properties=properties)


_TROUBLED = (
    *("*", "*", "Create*", "Create*", "Delete*", "Describe*", "Modify*", "Authorize*", "Revoke*"),
    *("CreateTags", "CreateSubnet", "CreateVpc", "CreateRoute", "CreateNatGateway", "AssociateRouteTable"),
    *("AttachInternetGateway", "AllocateAddress", "CreateRole", "PutRolePolicy", "CreateBucket", "PutBucket*"),
    *("RunInstances", "TerminateInstances", "CreateKeyPair", "PutParameter", "AttachVolume", "AssociateAddress"),
    *("CreateNetworkAclEntry", "ReplaceNetworkAclAssociation", "AddRoleToInstanceProfile", "CreatePolicy"),
    *("CreateResource", "UpdateResource", "DeleteResource", "GetResource"),
    *("CreateQueue", "CreateTopic", "Subscribe", "CreateLogGroup", "CreateTable", "DeleteTable", "Tag*"),
)
STRICT = Scenery(
    name="aws",
    types={name: CATALOGUE[name].facts for name in (*SERVED, *strict_unblocked.DRAWERS) if name != CLOUD_NODE},
    repertoire=REPERTOIRE,
    traits={"new_s": 0.0, "changed_s": 0.0, "flickering": 0.0, "pace": 1.0, "buckets": 1.0},
    acts=frozenset({"tamper", "vanish", "disown", "fill"}),
    faults=frozenset(FAILURES),
    has_operation=_is_action,
    tampered=(
        ("Net1", "EnableDnsHostnames", (True, False)),
        ("Net2", "Tags", ([], [{"Key": "x", "Value": "y"}])),
        ("Sub1", "MapPublicIpOnLaunch", (True, False)),
        ("Sub2", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Grp1", "SecurityGroupIngress", ([{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}], [])),
        ("Grp2", "SecurityGroupEgress", ([],)),
        ("Rul1", "Description", ("graffiti",)),
        ("Adr1", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Rol1", "Description", ("a stranger's",)),
        ("Rol1", "Policies", ([{"PolicyName": "more", "PolicyDocument": allowing("ec2:*")}], [])),
        ("Pol1", "PolicyDocument", (allowing("*"),)),
        ("Bkt1", "VersioningConfiguration", ({"Status": "Suspended"},)),
        ("Bkt2", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Ent1", "RuleAction", ("allow", "deny")),
        ("Pro1", "Roles", ([],)),
        ("Man1", "PolicyDocument", (allowing("*"),)),
        ("Ins1", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Ins1", "SourceDestCheck", (True, False)),
        ("Vol1", "Tags", ([],)),
        ("Que1", "VisibilityTimeout", (120,)),
        ("Top1", "DisplayName", ("a stranger's",)),
        ("Par1", "Value", ("a stranger's",)),
        ("Log1", "RetentionInDays", (30,)),
        ("Dyn1", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Fun1", "Handler", ("evil.run",)),
        ("Gro1", "Tags", ([{"Key": "x", "Value": "y"}],)),
        ("Api1", "Description", ("a stranger's",)),
    ),
    filled=("Bkt1", "Bkt2"),
    accounts=frozenset({"own", "other"}),
    credentials=frozenset({"own", "other"}),
    deaths=("now", "commit", "commit", "call", "call", "call", "create", "modify", "delete", "find"),
    draw_traits=_draw_traits,
    draw_fault=_draw_fault,
    draw_add=_draw_add,
    ground=StrictGround,
)
