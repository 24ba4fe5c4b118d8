"""AWS::Glue: databases and tables of the data catalog, and jobs. Their Refs are their names.

A composition describes a database or a table in one property, its name among it. They stand in the catalog of the
account: that of another account is not reached. Glue keeps names in small letters.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.model.ids import Json, PhysicalId
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import declared, sent
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_facts import facts_of
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls, tags_by_arn

_SERVICE = "glue"
_DATABASE, _TABLE, _JOB = "AWS::Glue::Database", "AWS::Glue::Table", "AWS::Glue::Job"
_LONGEST = 255
_PLAIN = (
    *("Connections", "DefaultArguments", "Description", "LogUri", "MaintenanceWindow", "NonOverridableArguments"),
    *("NotificationProperty", "SecurityConfiguration"),
)
"""The properties of a job that are absent where they are not declared."""
_CAPACITY = ("AllocatedCapacity", "MaxCapacity")
"""The capacity that a job shows beside its kind of workers, and that no call takes together with it."""


@dataclass(frozen=True, kw_only=True)
class _Input(Shown):
    """The property that says everything of a thing. It is shown by the members of the description."""

    type: str
    name: str
    write_by: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        return declared(thing.answer, published(self.type), (self.name,), {}, {self.name: "@"})

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.name):
            *holder, name = str(work.id).split(ID)
            about = {"DatabaseName": holder[0]} if holder else {"Name": name}
            work.change(service, self.write_by, **about, **self.sent(work, self.write_by, name))

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by}"}

    def sent(self, work: Work, call: str, name: str) -> dict[str, Json]:
        """The property as a parameter of a call, with the name that Glue keeps."""
        value = {**(work.want(self.name) or {}), "Name": name}
        return sent(work.client.input_of(_SERVICE, call), {self.name: value}, {})


class _Name(Named):
    """The name within the property that says everything, or beside it."""

    within = ""

    def __call__(self, request: Request) -> str:
        inner = (request.properties.get(self.within) or {}).get("Name")
        return (str(inner) if inner else super().__call__(request)).lower()


class _DatabaseName(_Name):
    within = "DatabaseInput"


class _TableName(_Name):
    within = "TableInput"


_OF_DATABASE = _Input(type=_DATABASE, name="DatabaseInput", write_by="UpdateDatabase")
_OF_TABLE = _Input(type=_TABLE, name="TableInput", write_by="UpdateTable")
_NAME_OF_DATABASE, _NAME_OF_TABLE = _DatabaseName("DatabaseName", _LONGEST), _TableName("Name", _LONGEST)


def _make_database(work: Work) -> Outcome:
    name = _NAME_OF_DATABASE(work.request)
    work.change(_SERVICE, "CreateDatabase", **_OF_DATABASE.sent(work, "CreateDatabase", name))
    return Done(physical_id=PhysicalId(name))


def _make_table(work: Work) -> Outcome:
    holder, name = str(work.need("DatabaseName")), _NAME_OF_TABLE(work.request)
    given = {**_OF_TABLE.sent(work, "CreateTable", name), **work.given("OpenTableFormatInput")}
    work.change(_SERVICE, "CreateTable", DatabaseName=holder, **given)
    return Done(physical_id=PhysicalId(ID.join((holder, name))))


DATABASE = replace(
    block(
        _DATABASE,
        _SERVICE,
        key="Name",
        listed=Listed(operation="GetDatabases", id="Name", size=100),
        named=_NAME_OF_DATABASE,
        create="CreateDatabase",
        parts=(_OF_DATABASE,),
        delete="DeleteDatabase",
        exclusive=[("DatabaseInput.Name",)],
        create_only="CatalogId DatabaseInput.Name",
        compare_as={
            **facts_of(published(_DATABASE)).compare_as,
            "DatabaseInput.Name": Comparison.FOLDED,
            "DatabaseName": Comparison.FOLDED,
        },
    ),
    create=_make_database,
)
TABLE = replace(
    block(
        _TABLE,
        _SERVICE,
        key="DatabaseName Name",
        described=Described(call=Call("GetTable"), at="Table"),
        named=_NAME_OF_TABLE,
        create="CreateTable",
        parts=(_OF_TABLE,),
        delete="DeleteTable",
        attributes={"Ref": "Name"},
        named_by="",
        exclusive=[("DatabaseName", "Name"), ("DatabaseName", "TableInput.Name")],
        create_only="TableInput.Name",
        compare_as={
            **facts_of(published(_TABLE)).compare_as,
            "DatabaseName": Comparison.FOLDED,
            "Name": Comparison.FOLDED,
            "TableInput.Name": Comparison.FOLDED,
        },
    ),
    create=_make_table,
)


def glue_tags(word: str) -> TagCalls:
    """The calls about the tags of things of one kind; `word` stands before their names in their ARNs."""
    return tags_by_arn(
        _SERVICE,
        lambda name: f"{word}/{name}",
        list_call="GetTags",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="ResourceArn",
        given_as="TagsToAdd",
        keys_as="TagsToRemove",
        is_mapping=True,
    )


_TAGS = glue_tags("job")


def _change_job(work: Work) -> Outcome:
    """Send the whole job: an update resets a property that it is not given."""
    names = sorted(published(_JOB).properties - {"Name", "Tags"})
    if any(work.differs(name) for name in names):
        shape = work.client.input_of(_SERVICE, "UpdateJob").members["JobUpdate"]
        shown = work.read(_SERVICE, "GetJob", JobName=work.id)["Job"]
        wanted = sent(shape, work.given(*names), {})
        hidden = {name for name in names if work.wants_none(name)}
        hidden |= set() if any(name in wanted for name in _CAPACITY) else {*_CAPACITY}
        kept = {name: value for name, value in shown.items() if name in shape.members and name not in hidden}
        work.change(_SERVICE, "UpdateJob", JobName=work.id, JobUpdate={**kept, **wanted})
    _TAGS.repair(work)
    return Done(physical_id=work.id)


JOB = replace(
    block(
        _JOB,
        _SERVICE,
        key="JobName",
        listed=Listed(operation="GetJobs", id="Name", size=200),
        named=Named("Name", _LONGEST),
        create=Call("CreateJob", key="Name"),
        modify={"UpdateJob": "*"},
        delete="DeleteJob",
        tags=_TAGS,
        defaults=dict.fromkeys(_PLAIN),
        compare_as={"DefaultArguments": Documents(), "NonOverridableArguments": Documents()},
    ),
    modify=_change_job,
)
TYPES = (DATABASE, TABLE, JOB)
