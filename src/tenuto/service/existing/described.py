"""The description of existing things: the service behind `tenuto import`."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from tenuto.compositions.existing import Thing, template_of
from tenuto.core.planning.comparing.adoption import candidate_problem, refuse
from tenuto.core.planning.equality.others import without_services
from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.ports.conductor import Conductor


def existing_template(conductor: Conductor, wanted: Sequence[str], partition: Partition) -> JsonMap:
    """The template of things said as `TYPE ID`, in their order. A thing that cannot be adopted is not described either,
    and members that others add to its lists are left to them."""
    types = conductor.types()
    pairs = named_things(wanted, types)
    things: list[Thing] = []
    problems = []
    for (name, _), candidate in zip(pairs, conductor.existing(partition, pairs), strict=True):
        what = f"{candidate.physical_id} cannot be imported"
        problem = candidate_problem(candidate, name, partition, what, types[name].id_form)
        if problem is not None:
            problems.append(problem)
        elif (item := candidate.item) is not None:
            own = without_services(item.properties, types[name].of_services, [])
            things.append(Thing(facts=types[name], item=replace(item, properties=own)))
    refuse(problems)
    return template_of(things, region=partition.region)


def named_things(wanted: Sequence[str], types: Collection[TypeName]) -> list[tuple[TypeName, PhysicalId]]:
    """The things that are said as `TYPE ID`, each once. Raises UserError for none and for a type that is unknown."""
    pairs = [_pair(text) for text in dict.fromkeys(wanted)]
    if not pairs:
        raise UserError("Nothing was named: say at least one resource as 'TYPE ID'.")
    strange = sorted({name for name, _ in pairs if name not in types})
    if strange:
        raise UserError(
            f"This Conductor does not manage {', '.join(strange)}.{meant(strange[0], types)} 'tenuto types' lists the "
            "types that it manages."
        )
    return pairs


def _pair(text: str) -> tuple[TypeName, PhysicalId]:
    name, _, identifier = text.partition(" ")
    if not name or not identifier.strip():
        raise UserError(f"{text!r} names no resource; it must be 'TYPE ID', such as 'AWS::EC2::VPC vpc-0123'.")
    return TypeName(name), PhysicalId(identifier.strip())
