"""Types that go through Cloud Control: every published type with the handlers, and without a block of its own.

Theory of operation. AWS publishes a schema for each of its 1,850 types, and Cloud Control makes, reads, changes and
deletes things of nearly all of them by one set of calls. So a type without a block is not refused: its facts come from
the schema (`cloud_control_facts`), its work is that of Cloud Control (`cloud_control_acts`). A block is the better way
where there is one: it is seen in bulk, and knows the words of its service.

A type whose schema has no handler to create, read or delete is refused: Tenuto runs nothing that it cannot see.
"""

from collections.abc import Sequence
from functools import lru_cache

from tenuto.compositions.checks.schema import HOME_REGION, AwsSchemas
from tenuto.model.ids import TypeName
from tenuto.providers.aws.kind import AwsType, Source, by_owner
from tenuto.providers.aws.types.cloud_control_acts import CloudControlType
from tenuto.providers.aws.types.cloud_control_facts import facts_of, has_handlers, tagging_of

_SCHEMAS = AwsSchemas(HOME_REGION)


def kind_of(name: TypeName) -> AwsType | None:
    """The type of this name as Cloud Control has it; None for a name without a schema, or without the handlers."""
    schema = _SCHEMAS.find(name)
    if schema is None or not has_handlers(schema):
        return None
    facts = facts_of(schema)
    own = CloudControlType(schema=schema, facts=facts, tagging=tagging_of(schema))
    return AwsType(
        facts=facts,
        source=Source(name=facts.source, read=own.read, shows_all=False, can_show_all=own.is_listed),
        create=own.create,
        modify=own.modify,
        delete=own.delete,
        is_found=by_owner,
        find=own.find,
        marks=own.marks,
    )


@lru_cache(maxsize=1)
def names() -> Sequence[TypeName]:
    """The names of all types with the handlers; the first call reads every schema, which takes a second."""
    found = (_SCHEMAS.find(name) for name in _SCHEMAS.names())
    return tuple(schema.name for schema in found if schema is not None and has_handlers(schema))
