"""Firewalls of a host that keep its networks from the outside are told, on the real kernel, and never changed."""

import os
from collections.abc import Iterator

import pytest
from test_own_host import shell

from tenuto.providers.local.drivers.ns.firewall import closed_tables, warning

CHAIN = "{ type filter hook forward priority 0; policy POLICY; }"


@pytest.fixture
def table() -> Iterator[str]:
    name = f"tenuto-test-{os.getpid()}"
    shell(f"nft add table ip {name}")
    yield name
    shell(f"nft delete table ip {name}")


def test_a_chain_that_drops_by_its_policy_is_told_until_a_rule_knows_the_ways_out(table: str) -> None:
    shell(f"nft 'add chain ip {table} FORWARD {CHAIN.replace('POLICY', 'accept')}'")
    assert closed_tables() == ()
    assert warning() == ""
    shell(f"nft 'chain ip {table} FORWARD {CHAIN.replace('POLICY', 'drop')}'")
    shell(f"nft add rule ip {table} FORWARD ct state established accept")
    assert closed_tables() == (f"ip {table}",)
    assert f"drops what machines send out of their networks (nft table ip {table})" in warning()
    shell(f"nft 'add rule ip {table} FORWARD iifname \"tu-*\" accept'")
    assert closed_tables() == ()
    shell(f"nft flush chain ip {table} FORWARD")
    shell(f"nft add rule ip {table} FORWARD ip saddr 198.18.0.0/16 accept")
    assert closed_tables() == ()


def test_the_rules_of_firewalld_are_told_without_a_policy_that_drops() -> None:
    shell("nft add table inet firewalld")
    try:
        shell(f"nft 'add chain inet firewalld filter_FORWARD {CHAIN.replace('POLICY', 'accept')}'")
        assert closed_tables() == ("inet firewalld",)
    finally:
        shell("nft delete table inet firewalld")
    assert closed_tables() == ()
