"""Uploads, blobs and artifacts of the local cloud (behaviours 24 and 54 to 65)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from front import Http
from images import BYTES, begun, digest, disk, of_type, uploaded, with_backing_file
from local_world import a
from town import Town, a_town

from tenuto.errors import NotAllowedError
from tenuto.model.event import EventType
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.ports.store_reads import EventQuery

HOUR = 3600.0
URL = "http://images.test/base.img"


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    with a_town(tmp_path, capsys) as made:
        for name in ("red", "blue"):
            made("-y", "namespace", "create", name)
        yield made


def show(town: Town, object_id: str) -> JsonMap:
    answer = town.root("GET", f"/v1/objects/{object_id}")
    assert answer.status == 200, answer
    return answer.document


def versions(town: Town, artifact: str) -> list[int]:
    return [one["version"] for one in town.root("GET", f"/v1/objects/{artifact}/versions").document["versions"]]


# Uploads


def test_behaviour_59_an_upload_in_parts_is_exact(town: Town) -> None:
    content = disk("parts", 3000 * 512)
    path = f"/v1/namespaces/red/uploads/{begun(town.root, 'base', content)['id']}"
    half = len(content) // 2

    def patch(offset: int, part: bytes) -> tuple[int, object]:
        answer = town.root("PATCH", f"{path}?offset={offset}", part, **BYTES)
        return answer.status, answer.document.get("offset")

    assert patch(0, content[:half]) == (200, half)
    assert patch(0, content[:half])[0] == 409  # A part that is there already is not there twice.
    assert patch(half + 1, b"x")[0] == 409
    assert patch(half, b"wrong") == (200, half + 5)
    assert town.root("POST", f"{path}/truncate", {"size": half}).document["offset"] == half
    assert patch(half, content[half:]) == (200, len(content))
    assert patch(len(content), b"more")[0] == 400
    done = town.root("POST", f"{path}/finish", {}).document
    assert done["version"] == 1
    assert town.root("POST", f"{path}/finish", {}).document["version"] == 1  # A lost answer is asked for again.
    stored = town.world.files.path(digest(content))
    assert stored.read_bytes() == content


def test_an_upload_of_bytes_that_were_not_announced_is_finished_twice_with_one_answer(town: Town) -> None:
    content = disk("unknown")
    path = f"/v1/namespaces/red/uploads/{begun(town.root, 'base', content, is_known=False)['id']}"
    town.root("PATCH", f"{path}?offset=0", content, **BYTES)
    for _ in range(2):
        done = town.root("POST", f"{path}/finish", {})
        assert (done.status, done.document["version"], done.document["offset"]) == (200, 1, len(content))
        town.world.work()


def test_behaviour_59_another_tenants_upload_is_not_there(town: Town) -> None:
    content = disk()
    upload = begun(town.root, "base", content)["id"]
    blue = town.key("blue", "ci", "all")
    for account in ("red", "blue"):
        path = f"/v1/namespaces/{account}/uploads/{upload}"
        assert blue("GET", path).status == 404
        assert blue("PATCH", f"{path}?offset=0", content, **BYTES).status == 404
        assert blue("POST", f"{path}/finish", {}).status == 404
    assert blue("DELETE", f"/v1/objects/{upload}").status == 404
    assert town.root("GET", f"/v1/namespaces/red/uploads/{upload}").document["offset"] == 0


def test_an_upload_goes_on_where_it_stopped_also_after_a_crash(town: Town) -> None:
    content = disk("long", 2048)
    first = begun(town.root, "base", content)
    path = f"/v1/namespaces/red/uploads/{first['id']}"
    town.root("PATCH", f"{path}?offset=0", content[:1000], **BYTES)
    again = begun(town.root, "base", content)
    assert (again["id"], again["offset"]) == (first["id"], 1000)
    assert begun(town.root, "base", disk("other", 2048))["id"] != first["id"]


def test_wrong_bytes_are_thrown_away_and_told(town: Town) -> None:
    content = disk("right")
    upload = begun(town.root, "base", content)["id"]
    path = f"/v1/namespaces/red/uploads/{upload}"
    town.root("PATCH", f"{path}?offset=0", disk("wrong"), **BYTES)
    refused = town.root("POST", f"{path}/finish", {})
    assert (refused.status, "changed on the way" in refused.document["detail"]) == (409, True)
    assert town.root("GET", path).document["offset"] == 0
    assert of_type(town, "Blob") == of_type(town, "Artifact") == []
    town.root("PATCH", f"{path}?offset=0", content, **BYTES)
    assert town.root("POST", f"{path}/finish", {}).document["version"] == 1


def test_what_is_no_image_becomes_nothing_and_leaves_nothing(town: Town) -> None:
    content = with_backing_file()
    upload = begun(town.root, "bad", content)["id"]
    path = f"/v1/namespaces/red/uploads/{upload}"
    town.root("PATCH", f"{path}?offset=0", content, **BYTES)
    refused = town.root("POST", f"{path}/finish", {})
    assert (refused.status, "backing file" in refused.document["detail"]) == (400, True)
    town.world.work()
    assert of_type(town, "Upload") == of_type(town, "Blob") == of_type(town, "Artifact") == []
    assert town.world.files.part(upload) is None
    assert uploaded(town.root, "bad", content, kind="other")["version"] == 1


def test_an_idle_upload_is_deleted_after_a_week_and_an_active_one_is_not(town: Town) -> None:
    idle, active = (begun(town.root, name, disk(name))["id"] for name in ("idle", "active"))
    town.world.advance(6 * 86400)
    town.root("PATCH", f"/v1/namespaces/red/uploads/{active}?offset=0", disk("active")[:100], **BYTES)
    town.world.advance(2 * 86400)
    assert [one["id"] for one in of_type(town, "Upload")] == [active]
    assert town.world.files.part(idle) is None
    assert show(town, active)["state"] == "created"


def test_an_upload_that_is_deleted_takes_its_bytes_along(town: Town) -> None:
    upload = begun(town.root, "base", disk())["id"]
    town.root("PATCH", f"/v1/namespaces/red/uploads/{upload}?offset=0", b"some", **BYTES)
    town("-y", "upload", "delete", upload)
    town.world.work()
    assert town.world.files.part(upload) is None
    assert town.root("PATCH", f"/v1/namespaces/red/uploads/{upload}?offset=4", b"more", **BYTES).status == 404


def test_behaviour_60_known_content_need_not_be_sent_by_whoever_sees_it(town: Town) -> None:
    content = disk("shared")
    uploaded(town.root, "base", content)
    red, blue = town.key("red", "ci", "all"), town.key("blue", "ci", "all")
    assert begun(red, "copy", content)["version"] == 1
    assert len(of_type(town, "Blob")) == 1
    # The digest alone opens nothing: blue sends the bytes, and there is one blob all the same.
    hidden = begun(blue, "mine", content, account="blue")
    assert hidden["artifact"] is None
    assert uploaded(blue, "mine", content, account="blue")["version"] == 1
    assert len(of_type(town, "Blob")) == 1
    assert blue("GET", "/v1/objects?type=Blob").document["objects"][0]["fields"]["Sha512"] == digest(content)


# Blobs


def test_behaviour_57_references_are_relations_and_the_last_one_frees_the_blob(town: Town) -> None:
    base = uploaded(town.root, "base", disk())["artifact"]["id"]
    [blob] = of_type(town, "Blob")
    users = [1]
    for name in ("one", "two"):
        town("artifact", "label", "--account", "red", name, "base")
        users.append(len(show(town, blob["id"])["needed_by"]))
    assert users == [1, 2, 3]
    assert "still needed by" in town("-y", "blob", "delete", blob["id"], code=5)
    for name in ("one", "two", base):
        town("-y", "artifact", "delete", name)
        town("-y", "artifact", "delete", name)  # Twice is once.
        town.world.work()
    assert show(town, blob["id"])["needed_by"] == []
    town.world.advance(HOUR / 2)
    assert of_type(town, "Blob") != []
    town.world.advance(HOUR)
    assert of_type(town, "Blob") == []
    assert town.world.files.stamp(blob["fields"]["Sha512"]) is None


def test_a_label_takes_a_declared_artifact_by_its_name_and_no_version_is_added_to_that(town: Town) -> None:
    url = "http://images.test/base.img"
    town.world.sources.contents = {url: disk("base")}
    declared = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": url})
    town.world.run(declared, account="red")
    town("artifact", "label", "--account", "red", "stable", "base")
    town.world.work()
    assert len(show(town, of_type(town, "Blob")[0]["id"])["needed_by"]) == 2
    assert "declared by a process, which alone gives it" in town(
        "artifact", "label", "--account", "red", "base", "stable", code=5
    )


def test_a_blob_that_is_needed_again_in_time_stays(town: Town) -> None:
    base = uploaded(town.root, "base", disk())["artifact"]["id"]
    town("-y", "artifact", "delete", base)
    town.world.advance(HOUR / 2)
    uploaded(town.root, "again", disk())
    town.world.advance(3 * HOUR)
    assert len(of_type(town, "Blob")) == 1


@pytest.mark.parametrize("harm", ["truncated", "changed", "lost"])
def test_behaviour_62_a_damaged_file_is_found_told_and_mended_by_the_same_content(town: Town, harm: str) -> None:
    content = disk("precious")
    artifact = uploaded(town.root, "base", content)["artifact"]["id"]
    [blob] = of_type(town, "Blob")
    path = town.world.files.path(digest(content))
    match harm:
        case "truncated":
            path.write_bytes(content[:100])
        case "changed":
            path.write_bytes(content[:-1] + b"!")
        case _:
            path.unlink()
    town.world.advance(120)
    damage = show(town, blob["id"])["attributes"]["Damage"]
    assert {"truncated": "100 bytes", "changed": "other bytes", "lost": "not there"}[harm] in damage
    assert "damaged or lost" in town.root("GET", f"/v1/objects/{artifact}/content").document["detail"]
    [problem] = town.world.system.doctor.examine().problems
    assert (problem.diagnostic.code, problem.diagnostic.subject) == ("A209", blob["id"])
    assert damage in problem.diagnostic.detail
    town.world.advance(600)
    told = EventQuery(types=(EventType.BLOB_DAMAGED,), limit=10)
    assert [one.reason for one in town.world.store.events(told)] == [damage]
    assert "is damaged" in town("blob", "verify", blob["id"], code=1)
    uploaded(town.root, "base", content)
    assert path.read_bytes() == content
    assert "is good" in town("blob", "verify", blob["id"][:8])
    assert town.world.system.doctor.examine().problems == ()
    assert "Damage" not in show(town, blob["id"])["attributes"]


def test_a_file_that_was_only_touched_is_good(town: Town) -> None:
    content = disk()
    uploaded(town.root, "base", content)
    [blob] = of_type(town, "Blob")
    town.world.files.path(digest(content)).touch()
    town.world.advance(120)
    assert "Damage" not in show(town, blob["id"])["attributes"]


def test_rot_that_no_mark_shows_is_found_within_a_day(town: Town) -> None:
    content = disk("quiet")
    uploaded(town.root, "base", content)
    [blob] = of_type(town, "Blob")
    path = town.world.files.path(digest(content))
    before = path.stat()
    path.write_bytes(content[:-1] + b"!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    town.world.advance(600)
    assert "Damage" not in show(town, blob["id"])["attributes"]
    town.world.advance(86400)
    assert "other bytes" in show(town, blob["id"])["attributes"]["Damage"]


# Artifacts


def test_behaviour_56_old_versions_go_and_no_index_is_used_twice(town: Town) -> None:
    for number in range(1, 6):
        artifact = uploaded(town.root, "base", disk(str(number)))["artifact"]["id"]
    assert versions(town, artifact) == [3, 4, 5]
    assert len(show(town, artifact)["needs"]) == 3
    town("-y", "artifact", "delete-version", artifact, "5")
    assert versions(town, artifact) == [3, 4]
    assert show(town, artifact)["attributes"]["Version"] == 4
    assert uploaded(town.root, "base", disk("6"))["version"] == 6
    for number in (3, 4, 6):
        town("-y", "artifact", "delete-version", artifact, str(number))
    town.world.work()
    assert show(town, artifact)["state"] == "deleted"
    assert uploaded(town.root, "base", disk("7"))["artifact"]["id"] != artifact


def test_the_same_content_twice_is_one_version(town: Town) -> None:
    artifact = uploaded(town.root, "base", disk())["artifact"]["id"]
    assert uploaded(town.root, "base", disk(), is_known=False)["version"] == 1
    assert versions(town, artifact) == [1]


def test_behaviour_54_a_fetched_artifact_is_there_at_once_and_then_created(town: Town) -> None:
    town.world.sources.contents[URL] = disk("web")
    said = town("artifact", "fetch", "--account", "red", "base", URL)
    assert "initial → created" in said
    town.world.work()
    [artifact] = of_type(town, "Artifact")
    assert (artifact["state"], artifact["attributes"]["Version"]) == ("created", 1)
    assert versions(town, artifact["id"]) == [1]


@pytest.mark.parametrize(
    ("content", "more", "told"),
    [
        (None, (), "no server listens there"),
        (b"<html>", (), "neither qcow2"),
        (disk(), ("--sha512", "0" * 128), "was asked for"),
    ],
)
def test_behaviour_54_a_bad_source_is_an_error_with_the_true_cause(
    town: Town, content: bytes | None, more: tuple[str, ...], told: str
) -> None:
    if content is not None:
        town.world.sources.contents[URL] = content
    town("artifact", "fetch", "--account", "red", "base", URL, *more)
    town.world.advance(60)
    [artifact] = of_type(town, "Artifact")
    assert (artifact["state"], told in artifact["message"]) == ("error", True), artifact["message"]
    assert of_type(town, "Blob") == []
    assert town.world.files.part(artifact["id"]) is None
    town("-y", "artifact", "delete", "base")
    town.world.work()
    assert of_type(town, "Artifact") == []


def test_behaviour_55_only_a_changed_source_makes_a_version_and_a_lost_one_leaves_the_last(town: Town) -> None:
    town.world.sources.contents[URL] = disk("first")
    town("artifact", "fetch", "--account", "red", "base", URL, "--refresh", "1h")
    town.world.work()
    [artifact] = of_type(town, "Artifact")
    asked = len(town.world.sources.asked)
    town.world.advance(HOUR / 2)
    assert len(town.world.sources.asked) == asked
    town.world.advance(HOUR)
    assert (len(town.world.sources.asked), versions(town, artifact["id"])) == (asked + 1, [1])
    town.world.sources.contents[URL] = disk("second")
    town.world.advance(2 * HOUR)
    assert versions(town, artifact["id"]) == [1, 2]
    del town.world.sources.contents[URL]
    town.world.advance(2 * HOUR)
    document = show(town, artifact["id"])
    assert (document["state"], document["attributes"]["Version"]) == ("created", 2)
    assert "no server listens there" in document["attributes"]["SourceTrouble"]
    town.world.sources.contents[URL] = disk("third")
    town.world.advance(2 * HOUR)
    assert versions(town, artifact["id"]) == [1, 2, 3]
    assert "SourceTrouble" not in show(town, artifact["id"])["attributes"]


def test_a_download_is_the_content_of_the_version_that_was_asked_for(town: Town, tmp_path: Path) -> None:
    for mark in ("one", "two"):
        artifact = uploaded(town.root, "base", disk(mark))["artifact"]["id"]
    file = tmp_path / "copy.img"
    town("artifact", "download", artifact, str(file))
    assert file.read_bytes() == disk("two")
    town("-y", "artifact", "download", artifact, str(file), "--version", "1")
    assert file.read_bytes() == disk("one")
    assert list(tmp_path.glob("copy.img.*")) == []
    assert "It has 1, 2" in town("artifact", "download", artifact, str(file), "--version", "7", code=4)


def test_an_interrupted_download_goes_on_where_it_stopped(town: Town, tmp_path: Path) -> None:
    assert "No uploads. 'tenuto artifact upload' makes one." in town("upload", "list")
    content = disk("whole")
    artifact = uploaded(town.root, "base", content)["artifact"]["id"]
    part = tmp_path / f"copy.img.{digest(content)[:16]}.part"
    part.write_bytes(content[:1000])
    town("artifact", "download", artifact, str(tmp_path / "copy.img"))
    assert (tmp_path / "copy.img").read_bytes() == content
    part.write_bytes(b"?" * 1000)
    told = town("-y", "artifact", "download", artifact, str(tmp_path / "copy.img"), code=1)
    [blob] = of_type(town, "Blob")
    assert f"differs again, 'tenuto blob verify {blob['id']}' tells" in " ".join(told.split())
    assert not part.exists()


def test_a_declared_artifact_is_read_by_its_process_and_its_resource(town: Town, tmp_path: Path) -> None:
    content = disk("declared")
    town.world.sources.contents[URL] = content
    base = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL})
    town.world.run(base, alias="images", account="red")
    assert digest(content)[:16] in town("artifact", "versions", "images/Base")
    town("artifact", "download", "images/Base", str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == content
    artifact = town.world.the("Base", "images").object_id
    assert town.key("red", "ci", "questions")("GET", f"/v1/objects/{artifact}/versions").status == 200
    for more in ("", "/versions", "/content"):
        assert town.key("blue", f"k{len(more)}", "all")("GET", f"/v1/objects/{artifact}{more}").status == 404


# Tenants


def readers(town: Town, artifact: str) -> dict[str, int]:
    """The answers to keys of the two namespaces who ask for an artifact."""
    keys = {name: town.key(name, f"k{len(artifact)}", "all") for name in ("red", "blue")}
    return {name: key("GET", f"/v1/objects/{artifact}").status for name, key in keys.items()}


def test_behaviour_24_a_trusted_namespace_sees_artifacts_as_long_as_it_is_trusted(town: Town) -> None:
    artifact = uploaded(town.root, "base", disk())["artifact"]["id"]
    blue = town.key("blue", "ci", "all")

    def seen() -> tuple[int, int, int, list[str]]:
        listed = blue("GET", "/v1/objects?type=Artifact").document["objects"]
        asked = (blue("GET", f"/v1/objects/{artifact}{more}").status for more in ("", "/versions"))
        label = blue("POST", "/v1/namespaces/blue/labels", {"name": "mine", "source": artifact})
        return *asked, label.status, [one["name"] for one in listed]  # type: ignore[return-value]

    assert seen() == (404, 404, 404, [])
    assert "trusts blue" in town("-y", "namespace", "trust", "red", "blue")
    assert seen()[:3] == (200, 200, 201)
    assert blue("GET", "/v1/objects?type=Blob").document["objects"] != []
    for method, path, body in (
        ("DELETE", f"/v1/objects/{artifact}", None),
        ("DELETE", f"/v1/objects/{artifact}/versions/1", None),
        ("POST", f"/v1/objects/{artifact}/tags", {"tags": {"a": "b"}}),
    ):
        assert blue(method, path, body).status == 403, path
    town("-y", "namespace", "trust", "red", "blue", "--remove")
    assert blue("GET", f"/v1/objects/{artifact}").status == 404
    # The copy that blue made is its own.
    assert [one["name"] for one in blue("GET", "/v1/objects?type=Artifact").document["objects"]] == ["mine"]


def test_what_is_shared_with_others_is_changed_by_its_own_alone_and_a_denial_says_so(town: Town) -> None:
    blue = town.key("blue", "ci", "all")
    of_red = uploaded(town.root, "base", disk("base"))["artifact"]["id"]
    of_system = uploaded(town.root, "common", disk("common"), account="system")["artifact"]["id"]
    blob = next(one for one in of_type(town, "Blob") if one["fields"]["Sha512"] == digest(disk("base")))["id"]
    assert {blue("DELETE", f"/v1/objects/{one}").status for one in (of_red, of_system, blob)} == {404}
    town("-y", "namespace", "trust", "red", "blue")
    town.root("POST", f"/v1/objects/{of_system}/share", {"shared": True})
    for one, account in ((of_red, "red"), (of_system, "system"), (blob, "system")):
        assert blue("GET", f"/v1/objects/{one}").status == 200
        for method, path, body in (
            ("DELETE", f"/v1/objects/{one}", None),
            ("POST", f"/v1/objects/{one}/tags", {"tags": {"a": "b"}}),
        ):
            denied = blue(method, path, body)
            assert denied.status == 403, (path, denied)
            assert f"may not give the command 'artifact' in account {account}" in denied.document["detail"]


def test_behaviour_24_trust_in_system_stays(town: Town) -> None:
    assert "Every namespace trusts system" in town("-y", "namespace", "trust", "red", "system", "--remove", code=5)
    uploaded(town.root, "base", disk())
    system = town.key("system", "ci", "all")
    assert [one["name"] for one in system("GET", "/v1/objects?type=Artifact").document["objects"]] == ["base"]
    assert "no namespace" in town("-y", "namespace", "trust", "red", "green", code=4)


def test_behaviour_65_only_system_shares_with_all_and_none_but_system_changes_it(town: Town) -> None:
    own = uploaded(town.root, "base", disk("own"))["artifact"]["id"]
    assert "only artifacts of system are shared" in town("-y", "artifact", "share", own, code=5)
    shared = uploaded(town.root, "base", disk("all"), account="system")["artifact"]["id"]
    blue = town.key("blue", "ci", "all")
    assert blue("GET", f"/v1/objects/{shared}").status == 404
    town("-y", "artifact", "share", shared)
    assert blue("GET", f"/v1/objects/{shared}").status == 200
    assert blue("GET", f"/v1/objects/{shared}/versions").status == 200
    assert blue("DELETE", f"/v1/objects/{shared}").status == 403
    assert blue("POST", f"/v1/objects/{shared}/share", {"shared": False}).status == 403
    town("-y", "artifact", "unshare", shared)
    assert blue("GET", f"/v1/objects/{shared}").status == 404


def test_behaviour_23_nothing_of_artifacts_is_there_for_others(town: Town) -> None:
    red = uploaded(town.root, "base", disk("secret"))["artifact"]
    mine = uploaded(town.root, "base", disk("mine"), account="blue")["artifact"]
    [hidden] = [one["id"] for one in of_type(town, "Blob") if one["fields"]["Sha512"] == digest(disk("secret"))]
    blue = town.key("blue", "ci", "all")
    for object_id in (red["id"], hidden):
        for method, more, body in (
            ("GET", "", None),
            ("GET", "/events", None),
            ("GET", "/versions", None),
            ("GET", "/content", None),
            ("DELETE", "", None),
            ("DELETE", "/versions/1", None),
            ("POST", "/share", {"shared": True}),
            ("POST", "/verify", {}),
            ("POST", "/retry", {}),
            ("POST", "/tags", {"tags": {"a": "b"}}),
        ):
            assert blue(method, f"/v1/objects/{object_id}{more}", body).status == 404, (object_id, method, more)
    # A name that a hidden artifact has, too, is not ambiguous, and never leads to it.
    assert blue("GET", "/v1/objects/base?type=Artifact").document["id"] == mine["id"]
    told = repr([blue("GET", f"/v1/objects?type={kind}").document for kind in ("Artifact", "Blob", "Upload")])
    assert red["id"] not in told
    assert hidden not in told
    assert blue("POST", "/v1/namespaces/blue/labels", {"name": "x", "source": red["id"]}).status == 404
    assert blue("POST", "/v1/namespaces/blue/labels", {"name": "x", "source": hidden}).status == 404


def test_the_names_of_other_tenants_are_not_told_by_a_blob_that_is_theirs_too(town: Town) -> None:
    for account in ("red", "blue"):
        uploaded(town.root, f"of-{account}", disk("same"), account=account)
    [blob] = of_type(town, "Blob")
    seen = town.key("blue", "ci", "all")("GET", f"/v1/objects/{blob['id']}").document
    assert [one["name"] for one in seen["needed_by"]] == ["of-blue"]


def test_the_events_of_a_blob_name_neither_the_tenant_who_sent_it_first_nor_their_request(town: Town) -> None:
    blue, red = (town.key(name, f"{name}-ci", "all") for name in ("blue", "red"))
    for http, account in ((blue, "blue"), (red, "red")):
        uploaded(http, f"of-{account}", disk("same"), account=account)
    [blob] = of_type(town, "Blob")
    path = f"/v1/objects/{blob['id']}/events"
    theirs, own = red("GET", path).document["events"], town.root("GET", path).document["events"]
    assert [one["number"] for one in theirs] == [one["number"] for one in own]
    assert {(one["actor"], one["request"]) for one in theirs} == {(None, None)}
    assert "blue" not in repr(theirs)
    assert "blue/blue-ci" in {one["actor"] for one in own}
    label = red("GET", "/v1/objects/of-red/events?type=Artifact").document["events"]
    assert "red/red-ci" in {one["actor"] for one in label}


# Limits


@pytest.mark.parametrize(
    ("limit", "told"),
    [("blob_bytes=5000", "5,000 bytes"), ("uploads=0", "0 uploads"), ("artifacts=1", "1 artifacts")],
)
def test_limits_refuse_at_the_intake_with_the_number(town: Town, limit: str, told: str) -> None:
    uploaded(town.root, "base", disk("one"))
    assert limit.partition("=")[0] in town("-y", "namespace", "limits", "red", limit)
    refused = town.root("POST", "/v1/namespaces/red/uploads", {"name": "more", "size": 4096})
    assert (refused.status, told in refused.document["detail"]) == (507, True), refused
    assert len(of_type(town, "Artifact")) == 1
    town("-y", "namespace", "limits", "red", limit.partition("=")[0] + "=none")
    assert uploaded(town.root, "more", disk("two"))["version"] == 1


@pytest.mark.parametrize(
    ("path", "hindrance", "status", "relief"),
    [
        ("artifacts", {"name": "base", "url": URL}, 409, None),
        ("limits", {"limits": {"artifacts": 0}}, 507, {"limits": {"artifacts": 1}}),
        ("limits", {"limits": {"blob_bytes": 10}}, 507, {"limits": {"blob_bytes": 10000}}),
    ],
    ids=["name", "artifacts", "bytes"],
)
def test_an_upload_that_cannot_be_finished_keeps_its_bytes_and_leaves_no_file(
    town: Town, path: str, hindrance: JsonMap, status: int, relief: JsonMap | None
) -> None:
    content, red = disk("kept", 8192), "/v1/namespaces/red"
    upload = f"{red}/uploads/{begun(town.root, 'base', content)['id']}"
    town.root("PATCH", f"{upload}?offset=0", content, **BYTES)
    made = town.root("POST", f"{red}/{path}", hindrance)
    assert made.status in (200, 201), made
    refused = town.root("POST", f"{upload}/finish", {})
    assert (refused.status, "Nothing was changed" in refused.document["detail"]) == (status, True), refused
    assert town.root("GET", upload).document["offset"] == len(content)
    assert not town.world.files.stored()
    if relief:
        town.root("POST", f"{red}/{path}", relief)
    else:
        town.root("DELETE", f"/v1/objects/{made.document['id']}")
        town.world.advance(10)
    done = town.root("POST", f"{upload}/finish", {})
    assert (done.status, done.document.get("version")) == (200, 1), done


def test_a_content_that_is_refused_after_its_file_took_its_place_leaves_no_file(town: Town) -> None:
    """Another request was faster between the check and the commit."""
    stock, content = town.world.system.stock, disk("late")
    assert stock is not None
    part = ObjectId("a-part")
    stock.files.begin(part, Instant(0.0))
    stock.files.append(part, 0, content, Instant(0.0))
    sealed = stock.files.seal(part)

    def attempt() -> None:
        stock.entry(part, sealed, actor="ann")
        raise NotAllowedError("The name was taken meanwhile.")

    with pytest.raises(NotAllowedError):
        stock.enter(sealed.sha512, attempt)
    assert not stock.files.stored()
    uploaded(town.root, "base", content)
    with pytest.raises(NotAllowedError):
        stock.enter(sealed.sha512, attempt)
    assert stock.files.stored() == (digest(content),)


def fetched(town: Town, name: str, url: str = URL, **more: object) -> JsonMap:
    """An artifact that was fetched, after some time."""
    answer = town.root("POST", "/v1/namespaces/red/artifacts", {"name": name, "url": url, **more})
    assert answer.status == 201, answer
    town.world.advance(10)
    return show(town, answer.document["id"])


def test_a_fetch_reserves_its_bytes_while_they_come(town: Town) -> None:
    town("-y", "namespace", "limits", "red", "blob_bytes=6000")
    town.world.sources.contents[URL] = disk("slow")
    town.world.sources.slow.add(URL)
    slow = fetched(town, "slow")
    assert slow["state"] == "initial"
    refused = town.root("POST", "/v1/namespaces/red/uploads", {"name": "more", "size": 4096})
    assert (refused.status, "6,000" in refused.document["detail"]) == (507, True), refused
    assert uploaded(town.root, "small", disk("small", 1024))["version"] == 1
    town.world.sources.slow.clear()
    town.world.advance(10)
    assert show(town, slow["id"])["state"] == "created"
    # Its bytes count once: those of the version, and none that are on their way.
    assert uploaded(town.root, "other", disk("other", 512))["version"] == 1


def test_a_fetch_beyond_the_limit_is_an_error_and_leaves_no_bytes(town: Town) -> None:
    town("-y", "namespace", "limits", "red", "blob_bytes=4000")
    town.world.sources.contents[URL] = disk("large")
    town.world.sources.slow.add(URL)
    late = fetched(town, "late")
    town.world.sources.slow.clear()
    town.world.advance(10)
    failed = show(town, late["id"])
    assert (failed["state"], "4000 are left" in failed["message"]) == ("error", True), failed
    assert not town.world.files.parts()


def test_another_content_that_came_first_leaves_a_fetch_without_room(town: Town) -> None:
    town("-y", "namespace", "limits", "red", "blob_bytes=6000")
    town.world.sources.contents[URL] = disk("first")
    made = fetched(town, "kept", refresh_s=60)
    assert made["state"] == "created"
    town.world.sources.contents[URL] = disk("second")
    town.world.advance(200)
    found = show(town, made["id"])
    assert versions(town, made["id"]) == [1]
    assert "1904 are left" in found["attributes"]["SourceTrouble"], found
    town("-y", "namespace", "limits", "red", "blob_bytes=10000")
    town.world.advance(200)
    assert versions(town, made["id"]) == [1, 2]


def test_a_limit_of_nothing_that_there_is_is_refused(town: Town) -> None:
    assert "Did you mean" in town("-y", "namespace", "limits", "red", "instnces=1", code=2)
    assert "cannot be limited" in town("-y", "namespace", "create", "green", "--limit", "elephants=1", code=2)
    assert "whole number" in town("-y", "namespace", "limits", "red", "instances=-1", code=2)


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"name": "a/b", "size": 1}, 400, "name"),
        ({"name": "a", "size": 0}, 400, "bytes"),
        ({"name": "a", "size": 1, "sha512": "abc"}, 400, "128"),
        ({"name": "a", "size": 1, "kind": "label"}, 400, "label"),
        ({"name": "a", "size": 1, "kind": "floppy"}, 400, "one of"),
        ({"name": "a", "size": 10**15}, 400, "bytes"),
    ],
)
def test_what_cannot_be_an_upload_is_refused(town: Town, body: JsonMap, status: int, told: str) -> None:
    answer = town.root("POST", "/v1/namespaces/red/uploads", body)
    assert (answer.status, told in answer.document["detail"]) == (status, True), answer
    assert of_type(town, "Upload") == []


@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("lab", "other", "'tenuto artifact label --account red lab ARTIFACT'"),
        ("lab", "image", "'tenuto artifact label --account red lab ARTIFACT'"),
        ("base", "other", "'tenuto artifact upload --account red --kind image base FILE'"),
    ],
)
def test_an_upload_of_another_kind_is_told_the_command_that_adds_to_the_artifact(
    town: Town, name: str, kind: str, told: str
) -> None:
    uploaded(town.root, "base", disk())
    town("artifact", "label", "--account", "red", "lab", "base")
    answer = town.root("POST", "/v1/namespaces/red/uploads", {"name": name, "size": 1, "kind": kind})
    assert (answer.status, told in answer.document["detail"]) == (409, True), answer


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "http://", "http://me:secret@host/x", "base.img"])
def test_what_cannot_be_fetched_is_refused_at_once(town: Town, url: str) -> None:
    assert "URL" in town("artifact", "fetch", "--account", "red", "base", url, code=2)
    assert of_type(town, "Artifact") == []


def test_bare_objects_of_images_cannot_be_made(town: Town) -> None:
    for kind, words in (("artifact", ("x",)), ("blob", ()), ("upload", ())):
        assert "is made by" in town("-y", kind, "create", *words, "--account", "red", code=2)


def test_a_key_without_the_right_reads_and_does_not_write(town: Town) -> None:
    artifact = uploaded(town.root, "base", disk())["artifact"]["id"]
    reader: Http = town.key("red", "reader", "questions")
    assert reader("GET", f"/v1/objects/{artifact}").status == 200
    assert reader("GET", f"/v1/objects/{artifact}/versions").status == 200
    assert reader("POST", "/v1/namespaces/red/uploads", {"name": "x", "size": 1}).status == 403
    assert reader("DELETE", f"/v1/objects/{artifact}").status == 403


def test_old_parts_without_an_upload_go_and_blobs_that_the_store_does_not_know_stay(town: Town) -> None:
    stock, files = town.world.system.stock, town.world.files
    assert stock is not None
    uploaded(town.root, "base", disk("kept"))
    coming = begun(town.root, "more", disk("coming"))["id"]
    now = town.world.clock.now()
    for name, at in (("old", 0.0), ("young", now), ("unknown", 0.0)):
        files.begin(ObjectId(name), Instant(at))
        files.append(ObjectId(name), 0, disk(name), Instant(at))
    files.keep(ObjectId("unknown"), digest(disk("unknown")))
    assert stock.tidy() == (digest(disk("unknown")),)
    assert set(files.parts()) == {coming, "young"}
    assert uploaded(town.root, "found", disk("unknown"))["version"] == 1
    assert stock.tidy() == ()


def test_a_damaged_file_is_read_once_and_not_at_every_round(town: Town) -> None:
    content = disk("large")
    uploaded(town.root, "base", content)
    path = town.world.files.path(digest(content))
    path.write_bytes(content[:-1] + b"!")
    town.world.advance(120)
    [blob] = of_type(town, "Blob")
    damage = blob["attributes"]["Damage"]
    # With the marks of the file that was read, right bytes are not noticed before the daily reading.
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    town.world.advance(600)
    assert show(town, blob["id"])["attributes"]["Damage"] == damage
    town.world.advance(86400)
    assert "Damage" not in show(town, blob["id"])["attributes"]
    told = EventQuery(types=(EventType.BLOB_DAMAGED, EventType.BLOB_MENDED), limit=10)
    assert [one.type.value for one in town.world.store.events(told)] == ["blob.damaged", "blob.mended"]
