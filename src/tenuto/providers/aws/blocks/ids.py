"""Physical ids of several parts: joined by Tenuto, or the parts of an ARN that AWS made."""

ID = "|"
"""Between the parts of a physical id that is made of several."""


def words_in(key: str) -> list[str]:
    """The parameters for the parts of a physical id: the words of a key, or of one that is the path of an ARN
    (`apis/apiId/functions/functionId`) every second part."""
    return key.split("/")[1::2] if "/" in key else key.split()


def parts_in(key: str, physical_id: str) -> list[str]:
    """The parts of a physical id, one for each parameter of the key; none where the id has another form."""
    names = words_in(key)
    if "/" not in key:
        parts = physical_id.split(ID, len(names) - 1)
    else:
        path = physical_id.split(":", 5)[-1].split("/")
        parts = path[1::2] if path[::2] == key.split("/")[::2] else []
    return parts if len(parts) == len(names) else []
