"""The roles of a database: one at a time for a feature, and each some time on its way."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from block_examples import EXAMPLES, THING, BenchOf
from scripted_endpoint import refusal
from scripted_world import HERE, World, a_request

from tenuto.model.ids import Json, TypeName
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome, Pending, Refused

CLUSTER, INSTANCE = TypeName("AWS::RDS::DBCluster"), TypeName("AWS::RDS::DBInstance")
ROLE = "arn:aws:iam::123456789012:role/{}"
OLD, NEW = ROLE.format("old"), ROLE.format("new")
IMPORT = "s3Import"


def a_role(arn: str, feature: str = IMPORT) -> dict[str, Json]:
    return {"RoleArn": arn, "FeatureName": feature}


def shown(*roles: tuple[str, str]) -> tuple[int, str]:
    """The answer that shows a cluster with these roles, each in a state."""
    inner = "".join(
        f"<DBClusterRole><RoleArn>{arn}</RoleArn><FeatureName>{IMPORT}</FeatureName><Status>{state}</Status>"
        "</DBClusterRole>"
        for arn, state in roles
    )
    cluster = (
        "<DBCluster><DBClusterIdentifier>shop</DBClusterIdentifier><Status>available</Status>"
        f"<AssociatedRoles>{inner}</AssociatedRoles></DBCluster>"
    )
    return answered("DescribeDBClusters", f"<DBClusters>{cluster}</DBClusters>")


def answered(action: str, inner: str = "") -> tuple[int, str]:
    return 200, f"<{action}Response><{action}Result>{inner}</{action}Result></{action}Response>"


def modified(world: World, *wanted: str) -> Outcome:
    """The outcome of bringing a cluster, which a sweep showed with the old role, to these."""
    request = a_request(CLUSTER, {"AssociatedRoles": [a_role(one) for one in wanted]}, "shop")
    return world.provider.modify(HERE, [replace(request, observed={"AssociatedRoles": [a_role(OLD)], "Tags": []})])[0]


def changes(world: World) -> list[tuple[str, str]]:
    """The calls that changed roles, each with its role."""
    return [(action, form["RoleArn"]) for action, form in world.endpoint.calls if "RoleArn" in form]


def test_a_role_that_is_on_its_way_is_waited_for(world: World) -> None:
    world.endpoint.scripts["DescribeDBClusters"] = [shown((OLD, "PENDING"))]
    assert isinstance(modified(world, NEW), Pending)
    assert changes(world) == []


def test_a_feature_gets_another_role_once_the_first_has_gone(world: World) -> None:
    # The place of the first role is taken until RDS has let it go, which is some time after the call.
    world.endpoint.scripts |= {
        "DescribeDBClusters": [shown((OLD, "ACTIVE")), shown()],
        "RemoveRoleFromDBCluster": [answered("RemoveRoleFromDBCluster")],
        "AddRoleToDBCluster": [refusal("DBClusterRoleAlreadyExists"), answered("AddRoleToDBCluster")],
    }
    assert isinstance(modified(world, NEW), Pending)
    assert isinstance(modified(world, NEW), Done)
    assert changes(world) == [
        ("RemoveRoleFromDBCluster", OLD),
        ("AddRoleToDBCluster", NEW),
        ("AddRoleToDBCluster", NEW),
    ]


def test_a_second_role_of_a_feature_is_refused(world: World) -> None:
    world.endpoint.scripts |= {
        "DescribeDBClusters": [shown((OLD, "ACTIVE"))],
        "AddRoleToDBCluster": [refusal("DBClusterRoleAlreadyExists")],
    }
    assert isinstance(modified(world, OLD, NEW), Refused)


def test_what_was_done_already_is_not_done_again(world: World) -> None:
    world.endpoint.scripts["DescribeDBClusters"] = [shown((NEW, "ACTIVE"))]
    assert isinstance(modified(world, NEW), Done)
    assert changes(world) == []


@pytest.mark.parametrize("name", [CLUSTER, INSTANCE])
def test_a_database_with_a_role_on_its_way_is_not_ready(name: TypeName, bench_of: BenchOf) -> None:
    example = EXAMPLES[name]
    with bench_of((*example.needs, example.thing)) as bench:
        bench.make_all()
        made = bench.requests[THING]
        assert made.physical_id is not None
        taken = {"AssociatedRoles": [a_role(ROLE.format("third"), "Lambda")]}
        bench.until_done(bench.provider.modify, replace(made, properties={**made.properties, **taken}))
        states = [bench.sweep(name, [made])[made.physical_id].condition for _ in range(2)]
        assert states == [Condition.PENDING, Condition.READY]


def test_roles_are_let_alone_where_none_are_declared(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    example = EXAMPLES[INSTANCE]
    with bench_of((*example.needs, example.thing)) as bench:
        bench.make_all()
        made = bench.requests[THING]
        stranger("rds").add_role_to_db_instance(DBInstanceIdentifier="shop", RoleArn=OLD, FeatureName=IMPORT)
        item = bench.ready(made)
        assert item.properties["AssociatedRoles"] == [a_role(OLD)]
        assert bench.differing(made, item) == ()
        assert "AssociatedRoles" in bench.differing(replace(made, properties={"AssociatedRoles": []}), item)


def test_the_emulator_knows_which_roles_a_database_has(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    example, rds = EXAMPLES[CLUSTER], stranger("rds")
    with bench_of((*example.needs, example.thing)) as bench:
        bench.make_all()
        (known,) = bench.requests[THING].properties["AssociatedRoles"]
        with pytest.raises(rds.exceptions.DBClusterRoleNotFoundFault):
            rds.remove_role_from_db_cluster(DBClusterIdentifier="shop", RoleArn=known["RoleArn"], FeatureName="Lambda")
        rds.remove_role_from_db_cluster(DBClusterIdentifier="shop", **known)
        (shown,) = rds.describe_db_clusters(DBClusterIdentifier="shop")["DBClusters"]
        assert shown["AssociatedRoles"] == []
