"""An objection of a provider to something that a composition declares, by what it knows at that moment."""

from dataclasses import dataclass

from tenuto.model.ids import LogicalId


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """One reason why a resource cannot be as it is declared. `path` names the property; `hint` says what to do."""

    logical_id: LogicalId
    path: str
    detail: str
    hint: str
