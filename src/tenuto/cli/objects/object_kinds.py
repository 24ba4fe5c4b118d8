"""The commands by type of object: one table, of which `cli.objects.object_groups` makes the groups.

Theory of operation. `tenuto artifact …` is `tenuto object …` for the objects of one type: the same requests, with the
fields of the type as options and as columns. A row of the table is all that a type needs here. It names the type by its
last part, so it fits the types of every provider; a Conductor that offers no such type says so itself. The table holds
no click, because the root command reads it at every start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

VERBS: Mapping[str, str] = {
    "create": "Make {a}.",
    "list": "Show the {plural}.",
    "show": "Show all that is known of {a}.",
    "delete": "Delete {a} that no other object needs.",
    "wait": "Wait until {a} is where it was told to go.",
    "retry": "Try {a} again whose phases failed or sleep.",
    "events": "Show what happened to {a}.",
}
"""The verbs of every type with the first line of their help, in the order of `--help`."""


class Given(StrEnum):
    """The form in which an option is given on the command line."""

    TEXT = "text"
    NUMBER = "number"
    LIST = "list"
    """Given once for each item."""
    MAP = "map"
    """Given as NAME=VALUE, once for each pair; a value of digits is a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOption:
    """An option of `create`. `is_column` shows the field in `list` too, under `heading`."""

    option: str
    field: str
    help: str
    given: Given = Given.TEXT
    metavar: str | None = None
    heading: str = ""

    @property
    def parameter(self) -> str:
        """The name of the parameter of the command."""
        return f"field_{self.field.lower()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectKind:
    """One group of commands. `type` is the last part of the type's name; `example` is that of `create`."""

    name: str
    type: str
    plural: str
    summary: str
    options: tuple[FieldOption, ...]
    example: str
    is_named: bool = True
    is_an: bool = False
    named: str = ""
    """The object of the other examples: its name, or an id."""
    declared: str = ""
    """The type of the local cloud that compositions declare, if there is one."""
    declared_too: str = ""
    """The type of several clouds whose things on hosts are of this kind as well."""
    columns: tuple[tuple[str, str], ...] = ()
    """Further columns of `list`: each heading with an attribute."""
    made_by: str = ""
    """The command that makes one, where that is not its own `create`."""

    @property
    def declared_types(self) -> str:
        """The types of declared objects of this kind, as a query of the API names them."""
        return ",".join(one for one in (self.declared, self.declared_too) if one)

    @property
    def a(self) -> str:
        """The kind with its article."""
        return f"{'an' if self.is_an else 'a'} {self.noun}"

    @property
    def noun(self) -> str:
        """The words for one object in a sentence."""
        return {"operation": "agent operation", "interface": "network interface"}.get(self.name, self.name)


def _namespace_option() -> FieldOption:
    return FieldOption(option="--namespace", field="Namespace", help="The namespace that it belongs to.")


def _size_option(text: str) -> FieldOption:
    return FieldOption(
        option="--size", field="SizeBytes", help=text, given=Given.NUMBER, metavar="BYTES", heading="Size"
    )


OBJECT_KINDS: tuple[ObjectKind, ...] = (
    ObjectKind(
        name="namespace",
        type="Namespace",
        plural="namespaces",
        summary="Make and manage namespaces, the tenants of other objects.",
        options=(
            FieldOption(
                option="--trust",
                field="Trust",
                help="A namespace that may see its artifacts; may be repeated.",
                given=Given.LIST,
                metavar="NAMESPACE",
                heading="Trusts",
            ),
            FieldOption(
                option="--limit",
                field="Limits",
                help="The most of a thing in it, such as instances=10; may be repeated.",
                given=Given.MAP,
                metavar="THING=MOST",
                heading="Limits",
            ),
        ),
        example="green --limit instances=10",
        named="green",
    ),
    ObjectKind(
        name="artifact",
        type="Artifact",
        plural="artifacts",
        summary="Make and manage artifacts: named images, labels and other files.",
        is_an=True,
        options=(
            FieldOption(option="--kind", field="Kind", help="image, label or other.", heading="Kind"),
            FieldOption(option="--blob", field="Blob", help="The blob that is its content.", metavar="ID"),
            _namespace_option(),
        ),
        example="jammy --kind image",
        named="jammy",
        declared="Tenuto::Compute::Artifact",
        columns=(("Version", "Version"), ("Format", "Format"), ("Size", "SizeBytes"), ("Trouble", "SourceTrouble")),
    ),
    ObjectKind(
        name="blob",
        type="Blob",
        plural="blobs",
        summary="Make and manage blobs, the contents of artifacts.",
        options=(
            FieldOption(
                option="--sha512",
                field="Sha512",
                help="The checksum of its content; no two blobs have one.",
                metavar="CHECKSUM",
                heading="Sha512",
            ),
            _size_option("The size of its content."),
        ),
        columns=(("Damage", "Damage"),),
        example="--sha512 9b71d224bd62 --size 1048576",
        made_by="artifact upload",
        is_named=False,
        named="0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01",
    ),
    ObjectKind(
        name="upload",
        type="Upload",
        plural="uploads",
        summary="Make and manage uploads, bytes that become blobs.",
        is_an=True,
        options=(_size_option("How many bytes will come."), _namespace_option()),
        example="--size 1048576",
        made_by="artifact upload",
        is_named=False,
        named="0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c02",
    ),
    ObjectKind(
        name="network",
        type="Network",
        plural="networks",
        summary="Make and manage networks of instances.",
        options=(
            FieldOption(
                option="--cidr", field="CidrBlock", help="Its range of addresses.", metavar="BLOCK", heading="Block"
            ),
            _namespace_option(),
        ),
        example="backend --cidr 10.1.0.0/24",
        named="backend",
        declared="Tenuto::Compute::Network",
    ),
    ObjectKind(
        name="interface",
        type="NetworkInterface",
        plural="network interfaces",
        summary="Make and manage network interfaces, the ties of instances to networks.",
        options=(
            FieldOption(option="--network", field="Network", help="The network that it is on."),
            FieldOption(option="--address", field="Address", help="Its address there.", heading="Address"),
        ),
        example="--network backend --address 10.1.0.5",
        is_named=False,
        named="0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c03",
        declared="Tenuto::Compute::NetworkInterface",
    ),
    ObjectKind(
        name="instance",
        type="Instance",
        plural="instances",
        summary="Make and manage instances, virtual machines on hosts.",
        is_an=True,
        options=(
            FieldOption(
                option="--vcpus",
                field="Vcpus",
                help="How many processors it has.",
                given=Given.NUMBER,
                heading="Vcpus",
            ),
            FieldOption(
                option="--memory",
                field="MemoryMiB",
                help="How much memory it has.",
                given=Given.NUMBER,
                metavar="MIB",
                heading="Memory",
            ),
            FieldOption(option="--image", field="Image", help="The artifact that it boots from.", metavar="ARTIFACT"),
            FieldOption(option="--interface", field="Interface", help="Its network interface.", metavar="ID"),
            _namespace_option(),
        ),
        example="db1 --vcpus 2 --memory 1024",
        named="db1",
        declared="Tenuto::Compute::Instance",
        declared_too="Cloud.Node",
    ),
    ObjectKind(
        name="operation",
        made_by="instance exec",
        type="AgentOperation",
        plural="agent operations",
        summary="Make and manage agent operations, commands inside instances.",
        is_an=True,
        options=(
            FieldOption(
                option="--command",
                field="Commands",
                help="A command to carry out; may be repeated, in order.",
                given=Given.LIST,
                metavar="COMMAND",
                heading="Commands",
            ),
            FieldOption(
                option="--deadline",
                field="DeadlineSeconds",
                help="How long it may take.",
                given=Given.NUMBER,
                metavar="SECONDS",
            ),
            FieldOption(option="--artifact", field="Uses", help="An artifact that it needs there.", metavar="ARTIFACT"),
        ),
        example="--command 'uname -r'",
        is_named=False,
        named="0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c04",
    ),
)
"""The types in the order of `--help`: a namespace, the objects in it, and the things that run in it."""
