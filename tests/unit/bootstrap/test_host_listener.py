"""The certificate of the hosts: made once, used again, and told with what to do when it is damaged."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.serving.host_listener import HostListener
from tenuto.errors import UserError
from tenuto.kit.address import Address


def fingerprint(database: Path) -> str:
    with HostListener(Address(host="127.0.0.1", port=0), database, ConnectionLimits(connections=2)) as listener:
        return listener.place.fingerprint


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "no certificate",
        lambda text: text.replace("MII", "!!!", 1),
        lambda text: text[: text.index("-----BEGIN PRIVATE KEY")],
        lambda text: text[: text.index("-----END PRIVATE KEY") - 40],
    ],
    ids=["empty", "another text", "a letter", "no key", "a short key"],
)
def test_a_damaged_certificate_of_the_hosts_is_told_with_both_ways_on(
    tmp_path: Path, damage: Callable[[str], str]
) -> None:
    database, file = tmp_path / "tenuto.db", tmp_path / "tenuto.nodes.pem"
    made = fingerprint(database)
    whole = file.read_text()
    assert fingerprint(database) == made
    file.write_text(damage(whole))
    with pytest.raises(UserError, match=r"hosts is damaged: .*tenuto\.nodes\.pem.* backup .*'tenuto node enroll NAME'"):
        fingerprint(database)
    file.write_text(whole)
    assert fingerprint(database) == made
    file.unlink()
    assert fingerprint(database) != made


def test_a_certificate_that_others_can_read_is_no_damaged_one(tmp_path: Path) -> None:
    database = tmp_path / "tenuto.db"
    fingerprint(database)
    (tmp_path / "tenuto.nodes.pem").chmod(0o644)
    with pytest.raises(UserError, match=r"^the TLS key .* read by others"):
        fingerprint(database)
