"""The simulated types of objects that requests make, so that every command can be tried without an account.

They have the tables of the local cloud's own types. Their phases take some seconds, so that a wait is worth watching,
and fail where the field `FailWith` says so, so that an error can be seen too.
"""

from collections.abc import Sequence

from tenuto.model.access import Right
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.object_type import FieldKind, FieldType, ObjectType, Scope
from tenuto.model.phase_map import PhaseDefinition
from tenuto.ports.phase import Phase, PhaseRun
from tenuto.providers.simulated.types import PROVIDER

NAMESPACE = TypeName("Simulated::Namespace")
UPLOAD = TypeName("Simulated::Upload")
BLOB = TypeName("Simulated::Blob")
ARTIFACT = TypeName("Simulated::Artifact")
OPERATION = TypeName("Simulated::AgentOperation")

WORK_S = 2.0
"""Seconds that a phase takes."""
FAIL_WITH = "FailWith"

_FAIL = FieldType(name=FAIL_WITH, summary="the message with which it shall fail")
_SIZE = FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="its size", default=0)

OBJECT_TYPES: tuple[ObjectType, ...] = (
    ObjectType(
        name=NAMESPACE,
        provider=PROVIDER,
        lifecycle="namespace",
        summary="a tenant that other objects may belong to",
        fields=(
            FieldType(name="Trust", kind=FieldKind.LIST, summary="names of namespaces that may see it", default=[]),
            FieldType(name="Limits", kind=FieldKind.MAP, summary="the most of each thing in it", default={}),
        ),
        scope=Scope.PROVIDER,
        right=Right.ACCOUNT,
    ),
    ObjectType(
        name=UPLOAD,
        provider=PROVIDER,
        lifecycle="upload",
        summary="bytes on their way to become a blob",
        fields=(
            FieldType(name="SizeBytes", kind=FieldKind.NUMBER, summary="how many bytes will come", is_required=True),
            FieldType(name="Namespace", kind=FieldKind.OBJECT, summary="whose it is", role="parent", of=(NAMESPACE,)),
        ),
        is_named=False,
    ),
    ObjectType(
        name=BLOB,
        provider=PROVIDER,
        lifecycle="blob",
        summary="an immutable file",
        fields=(
            FieldType(name="Sha512", summary="the checksum of its content; no two blobs have one", is_claim=True),
            _SIZE,
            _FAIL,
        ),
        is_named=False,
    ),
    ObjectType(
        name=ARTIFACT,
        provider=PROVIDER,
        lifecycle="artifact",
        summary="a named image, label or other file",
        fields=(
            FieldType(name="Kind", summary="image, label or other", default="other"),
            FieldType(name="Blob", kind=FieldKind.OBJECT, summary="its content", of=(BLOB,)),
            FieldType(name="Namespace", kind=FieldKind.OBJECT, summary="whose it is", role="parent", of=(NAMESPACE,)),
            _FAIL,
        ),
        halo_s=60.0,
    ),
    ObjectType(
        name=OPERATION,
        provider=PROVIDER,
        lifecycle="agent_operation",
        summary="commands that an agent carries out",
        fields=(
            FieldType(name="Commands", kind=FieldKind.LIST, summary="what to do, in order", is_required=True),
            FieldType(name="DeadlineSeconds", kind=FieldKind.NUMBER, summary="give up after", default=600),
            FieldType(name="Uses", kind=FieldKind.OBJECT, summary="an artifact that it needs", of=(ARTIFACT,)),
            _FAIL,
        ),
        is_named=False,
    ),
)


class Work:
    """A phase that takes `WORK_S` and completes. Implements `ports.phase.Phase`."""

    def handle(self, run: PhaseRun) -> None:
        for one in run.resources:
            data = run.data(one)
            message = one.object.desired.get(FAIL_WITH)
            if "until" not in data:
                data["until"] = run.now + WORK_S
                run.sleep(one, WORK_S, "at work")
            elif run.now < data["until"]:
                run.sleep(one, data["until"] - run.now)
            elif message:
                run.fail(one, str(message))
            else:
                run.complete(one)


def object_phases() -> Sequence[tuple[PhaseDefinition, Phase]]:
    """The phases that simulated objects walk through."""
    return (
        (
            _definition("Simulated.Fill", "Give a blob or an artifact its content.", ("initial",), (BLOB, ARTIFACT)),
            Work(),
        ),
        (_definition("Simulated.Execute", "Carry out the commands.", ("executing",), (OPERATION,)), Work()),
    )


def _definition(name: str, summary: str, states: tuple[str, ...], types: tuple[TypeName, ...]) -> PhaseDefinition:
    return PhaseDefinition(
        name=PhaseName(name), states=states, types=types, provider=PROVIDER, description=summary, acts=False
    )
