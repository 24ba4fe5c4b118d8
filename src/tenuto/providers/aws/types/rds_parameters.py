"""AWS::RDS::DBParameterGroup and AWS::RDS::DBClusterParameterGroup. Their Refs are their names, in small letters.

The declared parameters are held, and one that is taken out of a composition keeps its value.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.parameter_values import pages_of, parameters_of
from tenuto.providers.aws.types.rds_groups import rds_tags

_PARAMETERS = "Parameters"
_MOST = 20
"""The number of parameters that RDS takes in one call."""


@dataclass(frozen=True, kw_only=True)
class _Parameters(Plain):
    """The parameters of a group. `word` is the name of the kind of group in the calls."""

    word: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_PARAMETERS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_PARAMETERS: parameters_of(thing, self._pages, {self._key: thing.id}, _PARAMETERS)}

    def repair(self, work: Work, service: str, words: str) -> None:
        """Set the parameters that differ: at once those that can be changed at once, and the rest with the next
        restart.
        """
        if not work.differs(_PARAMETERS):
            return
        shown = dict(work.seen(_PARAMETERS) or {})
        wanted = {name: text_of(value) for name, value in dict(work.want(_PARAMETERS)).items()}
        shown_now = work.client.pages(self._pages, **{self._key: work.id})
        kinds = {str(one["ParameterName"]): one.get("ApplyType") for one in shown_now}
        changes = [
            {
                "ParameterName": name,
                "ParameterValue": value,
                "ApplyMethod": "immediate" if kinds.get(name) == "dynamic" else "pending-reboot",
            }
            for name, value in sorted(wanted.items())
            if shown.get(name) != value
        ]
        for start in range(0, len(changes), _MOST):
            some = changes[start : start + _MOST]
            work.change(service, f"Modify{self.word}ParameterGroup", **{self._key: work.id}, Parameters=some)

    @property
    def _key(self) -> str:
        return f"{self.word}ParameterGroupName"

    @property
    def _pages(self) -> Paging:
        return pages_of("rds", f"Describe{self.word}Parameters")

    def changes(self, service: str) -> Mapping[str, str]:
        return {_PARAMETERS: f"{service}:Modify{self.word}ParameterGroup"}


def _group(name: str, word: str) -> AwsType:
    key = f"{word}ParameterGroupName"
    return block(
        name,
        "rds",
        key=key,
        listed=Listed(operation=f"Describe{word}ParameterGroups", id=key, size=100, by_name=key),
        asked=Call(f"Describe{word}ParameterGroups"),
        named=Named(key, 255, fit=str.lower),
        create=f"Create{word}ParameterGroup",
        made=f"{word}ParameterGroup.{key}",
        renamed={"Family": "DBParameterGroupFamily"},
        # CloudFormation takes a family in any case.
        sent_as={"Family": str.lower},
        parts=(_Parameters(word=word),),
        delete=f"Delete{word}ParameterGroup",
        tags=rds_tags(f"{word}ParameterGroupArn"),
        compare_as={key: Comparison.FOLDED, "Family": Comparison.FOLDED},
        asked_members={_PARAMETERS: ""},
    )


TYPES = (_group("AWS::RDS::DBParameterGroup", "DB"), _group("AWS::RDS::DBClusterParameterGroup", "DBCluster"))
