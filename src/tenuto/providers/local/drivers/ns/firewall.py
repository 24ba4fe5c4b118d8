"""The rules of others on this host that keep its networks from the outside.

Theory of operation. A rule that drops a packet on its way through the host wins, so rules of Tenuto that let it pass
help nothing where a firewall drops packets that it does not know: Docker and ufw do so by the policy of a chain,
firewalld by rules of its zones. Rules of others are not changed. A table in which a rule names the ways out, or their
addresses, was made ready for them by a person, and counts as open.
"""

from tenuto.kit.address_pools import WAYS_OUT
from tenuto.providers.local.executor.kernel.host_facts import TABLE, WAY_OUT
from tenuto.providers.local.executor.kernel.programs import ProgramError, run, shown

_BY_RULES = ("inet", "firewalld")
_FAMILIES = ("ip", "inet")


def closed_tables() -> tuple[str, ...]:
    """The tables of this host that drop the packets that machines send out, as `FAMILY NAME`; none where they cannot be
    read."""
    try:
        chains = [one["chain"] for one in shown("nft", "-j", "list", "chains")["nftables"] if "chain" in one]
        dropping = {
            (str(chain["family"]), str(chain["table"]))
            for chain in chains
            if chain.get("hook") == "forward" and chain["family"] in _FAMILIES and _is_closed(chain)
        }
        return tuple(" ".join(table) for table in sorted(dropping) if not _is_open(*table))
    except ProgramError:
        return ()


def warning() -> str:
    """The sentence about them for people; empty where nothing is closed."""
    tables = closed_tables()
    return (
        f"The firewall of this machine drops what machines send out of their networks (nft table {', '.join(tables)}): "
        f"let links of the name {WAY_OUT}* pass in both directions."
        if tables
        else ""
    )


def _is_closed(chain: dict[str, object]) -> bool:
    return chain.get("policy") == "drop" or (chain["family"], chain["table"]) == _BY_RULES


def _is_open(family: str, table: str) -> bool:
    """Whether a rule of the table knows the ways out."""
    if table == TABLE:
        return True
    text = run("nft", "list", "table", family, table)
    return f'"{WAY_OUT}' in text or str(WAYS_OUT) in text
