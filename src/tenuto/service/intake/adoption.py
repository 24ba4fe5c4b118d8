"""The check whether a composition may adopt: its identifiers and the command's words must agree.

A composition that names existing resources is never run by a plain `run`: its user may want them adopted, or may
have forgotten the identifiers in a copy. The next word is theirs.
"""

from collections.abc import Sequence

from tenuto.core.planning.comparing.adoption import identifier_of, named_by
from tenuto.errors import MismatchError, UserError
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Json
from tenuto.model.plan import Operation, Planning
from tenuto.model.verb import Verb
from tenuto.service.common.value_diff import value_text
from tenuto.service.common.values import masked

_MOST_TOLD = 30
"""Differences in one message; a dry run shows all."""


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


def check_only_adopts(planning: Planning) -> None:
    """Raise MismatchError, naming each difference, unless a plan adopts everything and does nothing else."""
    more = [_difference(one) for one in planning.plan.operations if one.verb is not Verb.ADOPT]
    more += [f"{wait.logical_id or 'the process'}: {wait.message}" for wait in planning.waits]
    if more:
        shown = "\n".join(f"  {line}" for line in more[:_MOST_TOLD])
        rest = f"\n  and {len(more) - _MOST_TOLD} more" if len(more) > _MOST_TOLD else ""
        raise MismatchError(
            f"The account is not as the composition says, and --only-adopt adopts nothing then:\n{shown}{rest}\n"
            "Correct the composition where the account is right. Without --only-adopt, the plan is carried out. "
            "Nothing was changed."
        )


def _difference(one: Operation) -> str:
    changes = "; ".join(f"{change.path} {_text(change.before)} → {_text(change.after)}" for change in one.changes)
    return f"{one.logical_id}: {one.verb.value}{f' ({changes})' if changes else ''}"


def _text(value: Json) -> str:
    return "(none)" if value is None else value_text(masked(value, ()))


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
