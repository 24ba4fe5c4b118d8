"""The provider of a composition: the one that manages every type that it declares.

Nearly every type is of one provider. A few names, such as `Cloud.Node`, are brought by several: a composition of
nothing else belongs to the provider that its nodes name, and else to the first of the settings. A process stays with
its provider.
"""

from tenuto.errors import UserError
from tenuto.model.cloud_node import CLOUD_NODE, PROVIDER
from tenuto.model.composition import Composition
from tenuto.ports.conductor import Places


def provider_of(composition: Composition, places: Places, *, own: str | None = None) -> str:
    """The provider of a composition whose types are all managed. `own` is that of the process that it is for.

    Raises UserError when no provider manages all of them.
    """
    bringing = {one.type: places.bringing(one.type) for one in composition.resources}
    if not bringing:
        raise UserError("The composition declares no resources: there is nothing to run.")
    common = [name for name in min(bringing.values(), key=len) if all(name in names for names in bringing.values())]
    if not common:
        raise _mixed(sorted({names[0] for names in bringing.values()}))
    if own in common:
        return str(own)
    named = {str(one.properties.get(PROVIDER)) for one in composition.resources if one.type == CLOUD_NODE}
    meant = [name for name in common if name in named]
    if len(meant) > 1:
        raise _mixed(meant)
    return (meant or common)[0]


def _mixed(providers: list[str]) -> UserError:
    return UserError(
        f"The composition mixes resources of {' and '.join(providers)}. A process belongs to one provider: make one "
        "composition for each, and connect them with exports."
    )
