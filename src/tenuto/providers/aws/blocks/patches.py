"""Changes as patches: API Gateway takes operations on the paths of old values instead of new ones.

Theory of operation. Both values are given in the service's own words, so a path is made of its names. A member of a
mapping that is not declared is left alone where its names are the service's (a structure), and is removed where they
are the user's (a map, such as the variables of a stage). Of a list each member that is missing is added and each that
is too many is removed. At the top of a thing such a member is a part of the path; further down it is the value. A value
that `after` lacks goes: a structure is removed, and a text is replaced with an empty one.
"""

from collections.abc import Mapping

from botocore.model import Shape

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.texts import text_of


def operations(shape: Shape, before: JsonMap, after: JsonMap) -> list[JsonMap]:
    """The operations that make `after` of `before`, of which both are members of the shape."""
    return [
        one
        for name in sorted(before.keys() | after.keys())
        for one in _changed(shape.members[name], before.get(name), after.get(name), name)
    ]


def _changed(shape: Shape, before: Json, after: Json, path: str) -> list[JsonMap]:
    if before == after:
        return []
    if after is None:
        return [_operation("remove", path) if shape.type_name == "structure" else _operation("replace", path, "")]
    if isinstance(after, Mapping):
        seen = before if isinstance(before, Mapping) else {}
        is_map = shape.type_name == "map"
        gone = [name for name in sorted(seen) if is_map and name not in after]
        return [
            *(_operation("remove", f"{path}/{escaped(name)}") for name in gone),
            *(
                one
                for name in sorted(after)
                for one in _changed(
                    shape.value if is_map else shape.members[name],
                    seen.get(name),
                    after[name],
                    f"{path}/{escaped(name)}",
                )
            ),
        ]
    if isinstance(after, list):
        return _members(before if isinstance(before, list) else [], after, path)
    return [_operation("replace", path, after)]


def _members(before: list[Json], after: list[Json], path: str) -> list[JsonMap]:
    added, removed = [one for one in after if one not in before], [one for one in before if one not in after]
    if len(added) == len(removed) == 1:
        # A list that must have one member can be neither empty nor longer in between.
        return [_operation("replace", f"{path}/{escaped(removed[0])}", added[0])]
    return [
        *(_member("remove", path, one) for one in removed),
        *(_member("add", path, one) for one in added),
    ]


def _member(word: str, path: str, one: Json) -> JsonMap:
    return _operation(word, path, one) if "/" in path else _operation(word, f"{path}/{escaped(one)}")


def _operation(word: str, path: str, value: Json = None) -> JsonMap:
    about: JsonMap = {"op": word, "path": f"/{path}"}
    return about if value is None else {**about, "value": text_of(value)}


def escaped(name: Json) -> str:
    """A name as a part of a path."""
    return str(name).replace("~", "~0").replace("/", "~1")
