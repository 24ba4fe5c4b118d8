"""References of one namespace to what is in another one: in compositions, in fields of objects, in filters of lists.

Each is answered as one to a thing that is not there, and nothing of the other namespace changes (behaviour 23).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import images
import pytest
from front import Http
from images import disk
from local_world import a, shop, submission
from town import Town, a_town

from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, ObjectId, Partition
from tenuto.ports.store_changes import CreateObject, SaveObject
from tenuto_testing.store_samples import a_move

ZONE = "us-east-1"
NOTHING = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    with a_town(tmp_path, capsys) as made:
        yield made


class Neighbours:
    """The namespace blue with a shop and an image, and a key of the namespace red that may do everything there."""

    def __init__(self, town: Town) -> None:
        self.town = town
        for name in ("red", "blue"):
            town("-y", "namespace", "create", name)
        images.uploaded(town.root, "secret", disk("secret"), account="blue")
        net, nic, web = shop(Disks=[{"Base": "secret"}])
        town.world.run(net, nic, web, alias="blue-shop", account="blue")
        self.key: Http = town.key("red", "ci", "all")
        self.ids = {name: str(town.world.the(name, "blue-shop").object_id) for name in ("Net", "Nic", "Web")}
        listed = town.root("GET", "/v1/objects").document["objects"]
        self.ids |= {one["type"].rpartition("::")[2]: one["id"] for one in listed if one["account"] == "blue"}
        self.ids["Sha512"] = images.digest(disk("secret"))
        self.ids["Blob"] = next(one["id"] for one in listed if one["type"].endswith("Blob"))

    def states(self) -> list[tuple[str, str, str]]:
        found = self.town.world.objects("blue-shop")
        return [(str(one.logical_id), str(one.state), str(one.desired)) for one in found]


@pytest.fixture
def neighbours(town: Town) -> Neighbours:
    return Neighbours(town)


def told(neighbours: Neighbours, reference: str, *resources: Declaration, account: str = "red") -> str:
    """The words about a composition: the refusal, or the last ones of its process, without the reference."""
    world = neighbours.town.world
    composition = submission(resources).document
    body = {"account": account, "alias": "red-shop", "composition": composition}
    answer = (neighbours.key if account == "red" else neighbours.town.root)("POST", "/v1/processes", body)
    if answer.status >= 400:
        return f"{answer.status} {answer.document['detail']}".replace(reference, "REF")
    world.settle()
    world.advance(30)
    words = [one.message.replace(reference, "REF") for one in world.objects("red-shop")]
    states = [str(one.state) for one in world.objects("red-shop")]
    world.system.commands.kill("red-shop")
    world.advance(60)
    return f"{states} {words}"


CASES: Mapping[str, Callable[[str], list[Declaration]]] = {
    "Net": lambda ref: [a("Nic", "NetworkInterface", Network=ref)],
    "Nic": lambda ref: [a("Web", "Instance", Vcpus=1, MemoryMiB=64, Interfaces=[ref])],
    "Artifact": lambda ref: [a("Web", "Instance", Vcpus=1, MemoryMiB=64, Disks=[{"Base": ref}])],
    "Blob": lambda ref: [a("Web", "Instance", Vcpus=1, MemoryMiB=64, Disks=[{"Base": ref}])],
}


@pytest.mark.parametrize("kind", CASES)
def test_behaviour_23_a_composition_cannot_use_what_is_of_others(neighbours: Neighbours, kind: str) -> None:
    before = neighbours.states()
    theirs, none = neighbours.ids[kind], NOTHING
    answers = [told(neighbours, ref, *CASES[kind](ref)) for ref in (theirs, none)]
    assert answers[0] == answers[1]
    assert not answers[0].startswith(MADE)
    assert neighbours.states() == before
    # It is the namespace that decides, and nothing else in these references.
    assert told(neighbours, theirs, *CASES[kind](theirs), account="blue") != answers[0].replace("red", "blue")


MADE = "['created']"
OBJECTS: dict[str, dict[str, Json]] = {
    "exec": {"type": "AgentOperation", "fields": {"Instance": "{Web}", "Commands": [{"Exec": ["true"]}]}},
    "power": {"type": "AgentOperation", "fields": {"Instance": "{Web}", "Commands": [{"Power": "off"}]}},
    "snapshot": {"type": "AgentOperation", "fields": {"Instance": "{Web}", "Commands": [{"Snapshot": "mine"}]}},
    "ping": {"type": "AgentOperation", "fields": {"Instance": "{Net}", "Commands": [{"Ping": "10.1.0.1"}]}},
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_behaviour_23_an_operation_reaches_nothing_of_others(neighbours: Neighbours, kind: str) -> None:
    before, hosts = neighbours.states(), neighbours.town.world.things()

    def asked(web: str, net: str, account: str = "red") -> str:
        fields = {
            name: value.format(Web=web, Net=net) if isinstance(value, str) else value
            for name, value in OBJECTS[kind]["fields"].items()  # type: ignore[union-attr]
        }
        body = {"account": account, "region": ZONE, "type": OBJECTS[kind]["type"], "fields": fields}
        answer = (neighbours.key if account == "red" else neighbours.town.root)("POST", "/v1/objects", body)
        return f"{answer.status} {answer.document.get('detail')}".replace(web, "WEB").replace(net, "NET")

    assert asked(neighbours.ids["Web"], neighbours.ids["Net"]) == asked(NOTHING, NOTHING[::-1])
    neighbours.town.world.advance(30)
    assert (neighbours.states(), neighbours.town.world.things()) == (before, hosts)
    assert asked(neighbours.ids["Web"], neighbours.ids["Net"], "blue").startswith(("201", "409"))


def test_behaviour_23_no_filter_of_a_list_tells_of_others(neighbours: Neighbours) -> None:
    paths = (
        "/v1/events?object={Web}",
        "/v1/events?process=blue-shop",
        "/v1/objects?name=secret",
        "/v1/objects?all=true&account=blue",
        "/v1/declared-objects?account=blue",
        "/v1/declared-objects?name={Web}",
        "/v1/find?q={Web}",
        "/v1/find?q=10.1.0.10",
        "/v1/find?q=secret",
        "/v1/names?prefix=blue",
        "/v1/processes?account=blue",
    )
    secrets = [*neighbours.ids.values(), "blue-shop"]
    for path in paths:
        asked = path.format(**neighbours.ids)
        answer = repr(neighbours.key("GET", asked).document)
        assert not [one for one in secrets if one in answer.replace(asked, "").replace(asked.partition("=")[2], "")], (
            path
        )


def test_behaviour_23_no_number_of_objects_of_others_hides_one_of_the_same_name(town: Town) -> None:
    """More than a page of ended ones, which another tenant makes and deletes within the hour that they are kept."""
    for name in ("red", "evil"):
        town("-y", "namespace", "create", name)
    key = town.key("red", "ci", "all")
    made = images.uploaded(key, "prod", disk("prod"), account="red")["artifact"]["id"]
    item = town.world.store.object(ObjectId(made))
    assert item is not None
    theirs = Partition(account="evil", region="global")
    evil = replace(item, partition=theirs, state="initial", target="deleted", generation=1, attributes={})
    many = [replace(evil, object_id=ObjectId(f"00000000-{number:04}")) for number in range(1100)]
    gone = {"expected_generation": 1, "moves": (a_move("initial", "deleted", town.world.clock.now()),)}
    town.world.store.commit([CreateObject(object=one, actor="evil/ci") for one in many])
    town.world.store.commit([SaveObject(object=replace(one, state="deleted"), **gone) for one in many])
    shown = key("GET", "/v1/objects/prod?type=Artifact")
    assert (shown.status, shown.document.get("id")) == (200, made)
    assert key("DELETE", "/v1/objects/prod?type=Artifact").status == 200
    town.world.advance(10)
    shown = key("GET", "/v1/objects/prod?type=Artifact")
    assert (shown.status, shown.document["id"], shown.document["state"]) == (200, made, "deleted")
