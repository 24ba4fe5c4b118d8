"""Whether an importer uses the values that an export has once its originals are gone."""

from collections.abc import Mapping

import pytest

from tenuto.core.planning.comparing.following import Importer, Moved, MovedExport, used_by
from tenuto.model.ids import Instant, JobId, Json, LogicalId, ObjectId, PhysicalId
from tenuto.model.outcome import Context
from tenuto_testing.store_samples import a_process, an_object

IMPORT: Json = {"Fn::ImportValue": "the-bucket"}
OTHER: Json = {"Fn::ImportValue": "the-other"}
ORIGINAL = ObjectId("old")
NET = LogicalId("Net")


def uses(declared: Json, desired: Json, *, after: Json = "bkt-2", others: Mapping[str, Json] | None = None) -> bool:
    """Whether a settled resource with this desired property still uses the original."""
    found = an_object(logical_id=NET, state="Started", physical_id=PhysicalId("net-1"), desired={"P": desired})
    importer = Importer(
        process=a_process(converged_at=Instant(1.0)),
        imported={name: {NET: {"P": declared}} for name in ("the-bucket", "the-other")}
        if others is not None
        else {"the-bucket": {NET: {"P": declared}}},
        objects=(found,),
        context=Context(account_id="1"),
    )
    moved = Moved(
        exports=(MovedExport(name="the-bucket", originals={ORIGINAL: frozenset({"bkt-1"})}),),
        after={"the-bucket": after},
    )
    return bool(used_by(importer, moved, lambda: others or {}, lambda _: ()))


@pytest.mark.parametrize(
    ("declared", "desired", "is_used"),
    [
        (IMPORT, "bkt-2", False),
        (IMPORT, "bkt-1", True),
        (IMPORT, None, True),
        ({"Fn::Base64": IMPORT}, "Ymt0LTI=", False),
        ({"Fn::Base64": IMPORT}, "Ymt0LTE=", True),
        ({"Ids": [IMPORT]}, {"Ids": ["bkt-2"], "Default": True}, False),
        ({"Ids": [IMPORT]}, {"Ids": ["bkt-2", "bkt-1"]}, True),
        ({"Ids": [IMPORT], "Port": 1}, {"Ids": ["bkt-2"]}, True),
        ({"Fn::Select": [7, {"Fn::Split": [",", IMPORT]}]}, "bkt-2", True),
    ],
)
def test_a_resource_has_followed_when_it_is_desired_as_declared(
    declared: Json, desired: Json, *, is_used: bool
) -> None:
    assert uses(declared, desired) is is_used


def test_no_importer_has_followed_while_the_successor_has_no_value() -> None:
    assert uses(IMPORT, "bkt-1", after={"Ref": "Q"})
    assert uses(IMPORT, {"Ref": "Q"}, after={"Ref": "Q"})


def test_the_exports_of_other_processes_are_asked_for_where_one_property_imports_both() -> None:
    both: Json = {"Fn::Join": ["-", [IMPORT, OTHER]]}
    assert not uses(both, "bkt-2-bkt-9", others={"the-other": "bkt-9"})
    assert uses(both, "bkt-2-bkt-9", others={})


@pytest.mark.parametrize("job", [None, JobId("job-1")])
def test_a_resource_that_does_not_stand_is_a_user_while_a_job_may_make_it(job: JobId | None) -> None:
    importer = Importer(
        process=a_process(converged_at=Instant(1.0), job_id=job),
        imported={"the-bucket": {NET: {"P": IMPORT}}},
        objects=(),
        context=Context(account_id="1"),
    )
    moved = Moved(exports=(MovedExport(name="the-bucket", originals={ORIGINAL: frozenset()}),), after={})
    assert bool(used_by(importer, moved, dict, lambda _: ())) is (job is not None)
