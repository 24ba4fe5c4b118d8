"""Pauses between the commands of a person: what was soft-deleted, revoked, half sent or trusted no more meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from images import BYTES, begun, digest, disk, uploaded
from local_world import shop
from town import Town, a_town

HOUR = 3600.0


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    with a_town(tmp_path, capsys) as made:
        for name in ("red", "blue"):
            made("-y", "namespace", "create", name)
        yield made


def test_a_key_that_is_deleted_during_an_upload_sends_no_further_byte_and_another_one_goes_on(town: Town) -> None:
    content = disk("long", 4096)
    first, second = town.key("red", "ci", "all"), town.key("red", "next", "all")
    path = f"/v1/namespaces/red/uploads/{begun(first, 'base', content)['id']}"
    assert first("PATCH", f"{path}?offset=0", content[:1000], **BYTES).status == 200
    town.world.advance(HOUR)
    town("-y", "namespace", "key", "delete", "red", "ci")
    assert first("PATCH", f"{path}?offset=1000", content[1000:], **BYTES).status == 401
    town.world.advance(HOUR)
    assert second("GET", path).document["offset"] == 1000
    assert second("PATCH", f"{path}?offset=1000", content[1000:], **BYTES).status == 200
    town.world.advance(HOUR)
    assert second("POST", f"{path}/finish", {}).document["version"] == 1


def test_an_upload_whose_namespace_is_to_be_deleted_keeps_it(town: Town) -> None:
    upload = begun(town.root, "base", disk("long"), account="red")["id"]
    town.world.advance(HOUR)
    assert f"Upload {upload}" in town("-y", "namespace", "delete", "red", code=5)
    town("-y", "upload", "delete", upload)
    town.world.advance(60)
    town("-y", "namespace", "delete", "red")
    assert town.world.files.part(upload) is None


def test_a_trust_that_ends_between_two_machines_gives_the_second_one_no_image(town: Town) -> None:
    uploaded(town.root, "base", disk("shared"), account="red")
    base = town("--json", "artifact", "show", "base")
    town("-y", "namespace", "trust", "red", "blue")
    town.world.advance(HOUR)
    [artifact] = [one for one in town.root("GET", "/v1/objects?name=base").document["objects"] if one["id"] in base]
    net, nic, web = shop(Disks=[{"Base": artifact["id"]}])
    town.world.run(net, nic, web, alias="first", account="blue")
    assert town.world.the("Web", "first").state == "created"
    town.world.advance(HOUR)
    town("-y", "namespace", "trust", "red", "blue", "--remove")
    town.world.advance(HOUR)
    town.world.run(net, nic, web, alias="second", account="blue")
    told = town.world.the("Web", "second")
    assert (told.state, "that blue may see" in told.message) == ("error", True)
    # The machine that was made stays, and its content with it, also when the artifact goes.
    town("-y", "artifact", "delete", artifact["id"])
    town.world.advance(3 * HOUR)
    assert town.world.the("Web", "first").state == "created"
    assert town.world.files.stamp(digest(disk("shared"))) is not None


def test_what_is_deleted_is_found_by_its_id_and_its_name_is_free_at_once(town: Town) -> None:
    first = uploaded(town.root, "base", disk("one"), account="red")["artifact"]["id"]
    town("-y", "artifact", "delete", first)
    town.world.advance(60)
    assert "deleted" in town("artifact", "show", first)
    second = uploaded(town.root, "base", disk("two"), account="red")["artifact"]["id"]
    assert second != first
    town.world.advance(HOUR / 2)
    assert first in town("--json", "artifact", "list", "--all")
    assert first not in town("--json", "artifact", "list")
    assert "deleted" in town("-y", "artifact", "delete", first), "a second deletion changes nothing"
    assert town("--json", "artifact", "show", second)
