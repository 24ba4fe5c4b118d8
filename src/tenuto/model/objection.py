"""An objection of a provider to a declaration of a composition, by its knowledge at that moment."""

from dataclasses import dataclass

from tenuto.model.ids import LogicalId


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """One reason why a resource cannot be as it is declared. `path` names the property; `hint` gives the advice."""

    logical_id: LogicalId
    path: str
    detail: str
    hint: str
