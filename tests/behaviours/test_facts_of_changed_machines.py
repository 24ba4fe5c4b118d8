"""The facts of a machine, such as its addresses, are those that it has once it is changed, and not those of before."""

from local_world import LocalWorld, a

from tenuto.model.composition import Declaration


def net(*interfaces: str, memory: int = 512) -> tuple[Declaration, ...]:
    block = a("Net", "Network", CidrBlock="10.1.0.0/24")
    nics = [a(name, "NetworkInterface", "Net", Network={"Ref": "Net"}) for name in ("NicA", "NicB")]
    plugged = [{"Ref": name} for name in interfaces]
    return (block, *nics, a("Web", "Instance", *interfaces, Vcpus=1, MemoryMiB=memory, Interfaces=plugged))


def test_the_addresses_of_a_machine_follow_its_interfaces() -> None:
    world = LocalWorld()
    world.run(*net("NicA"))
    for names in (("NicA", "NicB"), ("NicB",), (), ("NicA",)):
        world.update(*net(*names))
        shown = world.the("Web").attributes["Addresses"]
        assert shown == [world.the(name).attributes["Address"] for name in names], names


def test_a_machine_that_was_restarted_by_a_change_tells_its_new_start() -> None:
    world = LocalWorld()
    world.run(*net("NicA"))
    before = world.the("Web").attributes["BootedAt"]
    world.advance(3600)
    world.update(*net("NicA", memory=1024))
    assert world.the("Web").attributes["BootedAt"] > before
