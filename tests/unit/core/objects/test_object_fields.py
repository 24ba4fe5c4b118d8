"""A request for an object is held against its type, and every mistake is named at once."""

from typing import Any

import pytest

from tenuto.core.objects.fields import (
    MOST_TAGS,
    check_name,
    check_tags,
    checked_fields,
    claims_of,
    relations_of,
    type_named,
    types_named,
)
from tenuto.errors import UserError
from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope
from tenuto_testing.store_samples import an_object

IMAGE = ObjectType(
    name=TypeName("Acme::Image"),
    provider="acme",
    lifecycle="artifact",
    summary="an image",
    fields=(
        FieldType(name="Kind", summary="its kind", is_required=True),
        FieldType(name="Size", kind=FieldKind.NUMBER, summary="its size", default=1),
        FieldType(name="Public", kind=FieldKind.FLAG, summary="for all"),
        FieldType(name="Parts", kind=FieldKind.LIST, summary="its parts"),
        FieldType(name="Labels", kind=FieldKind.MAP, summary="its labels"),
        FieldType(name="Sum", summary="its checksum", is_claim=True),
        FieldType(name="Base", kind=FieldKind.OBJECT, summary="what it is made of", role="parent"),
    ),
    halo_s=5.0,
)
BLOB = ObjectType(name=TypeName("Acme::Blob"), provider="acme", lifecycle="blob", summary="a blob", is_named=False)
OTHER = ObjectType(name=TypeName("Other::Image"), provider="other", lifecycle="artifact", summary="another")


def test_fields_are_taken_with_their_defaults() -> None:
    assert checked_fields(IMAGE, {"Kind": "os", "Parts": []}) == {"Kind": "os", "Size": 1, "Parts": []}


def test_every_mistake_is_named_at_once() -> None:
    wrong = {"Szie": 3, "Size": -1, "Public": "yes", "Parts": {}, "Labels": [], "Base": ""}
    with pytest.raises(UserError) as refused:
        checked_fields(IMAGE, wrong)
    told = str(refused.value)
    assert "Did you mean Size?" in told
    assert "'Kind' is missing (its kind)" in told
    for name in ("Size", "Public", "Parts", "Labels", "Base"):
        assert f"'{name}' must be" in told


@pytest.mark.parametrize("value", [True, 1.5, "1"])
def test_a_number_is_a_whole_one(value: object) -> None:
    with pytest.raises(UserError, match="whole number"):
        checked_fields(IMAGE, {"Kind": "os", "Size": value})


def test_fields_have_a_size_together() -> None:
    with pytest.raises(UserError, match="64 KiB"):
        checked_fields(IMAGE, {"Kind": "x" * 70_000})


@pytest.mark.parametrize("name", [None, "", "a/b", "-a", "a b", "x" * 129])
def test_what_cannot_be_a_name_is_refused(name: str | None) -> None:
    check_name(IMAGE, "debian-12.x_64")
    with pytest.raises(UserError, match="letters, digits"):
        check_name(IMAGE, name)


def test_an_object_known_by_its_id_takes_no_name() -> None:
    check_name(BLOB, None)
    with pytest.raises(UserError, match="no name of their own"):
        check_name(BLOB, "a")


@pytest.mark.parametrize("tags", [{"a": 1}, {"": "x"}, {"a": "x" * 257}, {str(n): "" for n in range(MOST_TAGS + 1)}])
def test_tags_are_texts_and_few(tags: dict[str, Any]) -> None:
    check_tags({"a": "b"})
    with pytest.raises(UserError):
        check_tags(tags)


def test_a_type_is_named_whole_or_by_its_last_part() -> None:
    types = (BLOB, IMAGE, OTHER)
    assert type_named("Acme::Image", types) is IMAGE
    assert type_named("blob", types) is BLOB
    with pytest.raises(UserError, match=r"may be Acme::Image or Other::Image.*'tenuto object create Other::Image'"):
        type_named("image", types)
    assert types_named("image", types) == (IMAGE, OTHER)
    assert types_named("Acme::Image", types) == (IMAGE,)
    with pytest.raises(UserError, match="Did you mean Acme::Blob"):
        type_named("Acme::Blbo", types)


def test_an_object_holds_its_name_its_claims_and_what_it_names() -> None:
    desired = {"Kind": "os", "Sum": "abc", "Base": "obj-9"}
    item = an_object("a", None, logical_id=LogicalId("debian"), desired=desired)
    named, summed = claims_of(IMAGE, item)
    assert (named.space, named.key, named.halo_s) == ("Acme::Image name in account 111122223333", "debian", 5.0)
    assert summed.key == "abc"
    [relation] = relations_of(IMAGE, item)
    assert (relation.from_id, relation.role, relation.to_id) == ("a", "parent", "obj-9")
    assert claims_of(BLOB, item) == ()


def test_a_name_may_be_unique_for_a_whole_provider() -> None:
    tenant = ObjectType(
        name=TypeName("Acme::Tenant"), provider="acme", lifecycle="namespace", summary="a", scope=Scope.PROVIDER
    )
    [claim] = claims_of(tenant, an_object("a", None))
    assert claim.space == "Acme::Tenant name"
