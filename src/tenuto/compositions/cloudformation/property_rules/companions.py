"""Properties that AWS takes only together, or only apart."""

from collections.abc import Iterator
from dataclasses import dataclass

from tenuto.compositions.cloudformation.property_rules.conditions import is_declared
from tenuto.compositions.cloudformation.property_rules.rule import Fault, Place, Rule
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions(Rule):
    """`needs` must be declared, and of `needs_one` any; `excludes` must not. `or_else` is another way out."""

    needs: tuple[str, ...] = ()
    needs_one: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    or_else: str = ""

    def faults(self, mapping: Fields, place: Place) -> Iterator[Fault]:
        first = next((entry.key.position for name in self.when if (entry := mapping.entry(name))), mapping.position)
        at = first if mapping.entries else place.at
        other = f", or {self.or_else}." if self.or_else else "."
        for name in self.needs:
            if mapping.entry(name) is None:
                told = f"{place.type_name} needs {name}"
                hint = f"Add {name}{other}"
                yield Fault(code=codes.MISSING_COMPANION, at=at, told=told, name=place.name(name), hint=hint)
        if self.needs_one and not any(mapping.entry(name) for name in self.needs_one):
            told = f"{place.type_name} needs one of {', '.join(self.needs_one)}"
            yield Fault(code=codes.NO_ALTERNATIVE, at=at, told=told, name=place.path, hint="Add one of them.")
        for name in self.excludes:
            if (entry := mapping.entry(name)) and is_declared(entry):
                told = f"{place.type_name} takes no {name}"
                hint = f"Remove {name}."
                yield Fault(code=codes.EXCLUSIVE, at=entry.key.position, told=told, name=place.name(name), hint=hint)
