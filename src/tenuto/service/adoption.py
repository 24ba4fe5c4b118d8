"""The check whether a composition may adopt: its identifiers and the command's words must agree.

A composition that names existing resources is never run by a plain `run`: its user may want them adopted, or may
have forgotten the identifiers in a copy. The next word is theirs.
"""

from collections.abc import Sequence

from tenuto.core.planning.adoption import identifier_of, named_by
from tenuto.errors import UserError
from tenuto.model.composition import Composition, Declaration


def check_adoption(composition: Composition, *, adopts: bool) -> None:
    """Raise UserError when a new process of the composition should not be made as the command says."""
    named = [one for one in composition.resources if named_by(one) is not None]
    for one in named:
        if identifier_of(one) is None:
            raise UserError(
                f"The ResourceIdentifier of {one.logical_id} is {named_by(one)!r}; it must be a text that is known "
                "before the run: the id of an existing resource."
            )
    if named and not adopts:
        raise UserError(
            f"The composition names existing resources: {_listed(named)}. '--import' (of 'run' and 'apply') adopts "
            "them; to make new ones, remove ResourceIdentifier from their Metadata."
        )
    if adopts and not named:
        raise UserError(
            "There is nothing to import: no resource of the composition names an existing one. Say "
            "'Metadata: {Tenuto: {ResourceIdentifier: ID}}' for each that is to be adopted, or have 'tenuto import' "
            "write such a composition."
        )
    _check_distinct(named)


def _check_distinct(named: Sequence[Declaration]) -> None:
    owners: dict[tuple[str, str], str] = {}
    for one in named:
        key = (one.type, str(named_by(one)))
        if key in owners:
            raise UserError(f"{owners[key]} and {one.logical_id} both name {key[1]}; a resource has one address.")
        owners[key] = one.logical_id


def _listed(named: Sequence[Declaration]) -> str:
    shown = ", ".join(f"{one.logical_id} ({named_by(one)})" for one in named[:5])
    return shown if len(named) <= 5 else f"{shown} and {len(named) - 5} more"
