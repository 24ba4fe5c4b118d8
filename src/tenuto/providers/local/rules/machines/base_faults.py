"""The faults of the bases of disks: contents that no machine can begin with, and words that mean none."""

from dataclasses import dataclass

from tenuto.model.ids import JsonMap
from tenuto.model.image import DAMAGE, ImageFormat, whole_gib
from tenuto.model.resource import ManagedObject

_ID_LENGTH = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFault:
    """The reason why no disk can begin with a base, for people: a clause, with the advice as another one or nothing."""

    problem: str
    code: str
    advice: str = ""

    @property
    def message(self) -> str:
        return f"{self.problem}. {self.advice}" if self.advice else self.problem

    @property
    def hint(self) -> str:
        """The advice as a sentence; empty where there is none."""
        return f"{self.advice}." if self.advice else ""


def may_be_on_a_host(word: str, driver: str) -> bool:
    """Whether a base that is no artifact may be the name of an image in the folder of a host. Simulated hosts have no
    such folder, and no name there has the form of an id."""
    return driver != "simulated" and len(word) != _ID_LENGTH


def missing_base(number: int, word: str, account: str) -> BaseFault:
    """The fault of a base that is no artifact and no blob."""
    return BaseFault(
        problem=f"disk {number} has the base {word}, and there is no artifact with a version, and no blob, of this id "
        f"or name that {account} may see",
        code="NoImage",
        advice="Correct it, or make it ('tenuto artifact list')",
    )


def content_fault(number: int, word: str, blob: ManagedObject) -> BaseFault | None:
    """The fault of the content of a base; None when it has none."""
    if blob.desired["Format"] == ImageFormat.DATA:
        return BaseFault(
            problem=f"disk {number} has the base {word}, whose content is no image for a machine", code="NoImage"
        )
    if damage := blob.attributes.get(DAMAGE):
        return BaseFault(
            problem=f"disk {number} has the base {word}, which is damaged on the Conductor: {damage}",
            code="Damaged",
            advice="Upload the same content again",
        )
    return None


def size_fault(name: str, number: int, disk: JsonMap, blob: ManagedObject) -> tuple[str, str]:
    """The fault of a declared disk that is smaller than its base, and the advice, for people; empty when there is
    none."""
    base, size = str(disk["Base"])[:80], disk.get("SizeGiB")
    least = whole_gib(int(blob.desired["VirtualSizeBytes"]))
    if type(size) is not int or size >= least:
        return "", ""
    return (
        f"Disk {number} of {name} has {size} GiB, and its base {base} is a disk of {least} GiB.",
        f"Give it a SizeGiB of {least} or more, or leave SizeGiB out.",
    )
