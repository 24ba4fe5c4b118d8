"""The executions that Lambda keeps ready for a version or an alias of a function (`ProvisionedConcurrencyConfig`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.errors import ProviderError
from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work

PROVISIONED = "ProvisionedConcurrencyConfig"
_EXECUTIONS = "ProvisionedConcurrentExecutions"
_NOTHING = "ProvisionedConcurrencyConfigNotFoundException"


@dataclass(frozen=True, kw_only=True)
class Provisioned(Plain):
    """The executions that are kept ready. A number that Lambda could not keep ready counts as not set, so that it is
    asked for again, and told of when that does not help. `about` makes the function and the qualifier of an id."""

    about: Callable[[str], tuple[str, str]]
    properties = frozenset({PROVISIONED})

    def read(self, thing: Thing) -> dict[str, Json]:
        try:
            shown = thing.client.read(thing.service, "GetProvisionedConcurrencyConfig", **self._named(thing.id))
        except ProviderError as error:
            if error.code != _NOTHING:
                raise
            return {PROVISIONED: {}}
        if shown.get("Status") == "FAILED":
            return {PROVISIONED: {}}
        return {PROVISIONED: {_EXECUTIONS: shown.get(f"Requested{_EXECUTIONS}")}}

    def repair(self, work: Work, service: str, words: str) -> None:
        wanted = work.want(PROVISIONED)
        if wanted and work.differs(PROVISIONED):
            given = {_EXECUTIONS: wanted.get(_EXECUTIONS)}
            work.change(service, "PutProvisionedConcurrencyConfig", **self._named(work.id), **given)
        elif not wanted and work.differs(PROVISIONED):
            self.drop(work, service)

    def drop(self, work: Work, service: str) -> None:
        """Keep none ready any more."""
        work.let_go(service, "DeleteProvisionedConcurrencyConfig", **self._named(work.id))

    def changes(self, service: str) -> Mapping[str, str]:
        return {PROVISIONED: f"{service}:PutProvisionedConcurrencyConfig"}

    def _named(self, physical_id: str) -> dict[str, Json]:
        function, qualifier = self.about(physical_id)
        return {"FunctionName": function, "Qualifier": qualifier}
