"""Sizes for people."""

_GIB = 1024


def gib_text(mib: float) -> str:
    """MiB in GiB, such as `0.5` and `16`: without a decimal that says nothing, which a narrow table has no room for."""
    return f"{mib / _GIB:.1f}".removesuffix(".0")
