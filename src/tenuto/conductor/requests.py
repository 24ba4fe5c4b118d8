"""From a managed object to what a provider is asked: every reference resolved, secrets in clear for this one call."""

from collections.abc import Mapping

from tenuto.core import resolve
from tenuto.core.ignores import as_found
from tenuto.model.composition import DeletionPolicy
from tenuto.model.ids import Fid, Json, JsonMap
from tenuto.model.outcome import Request
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.secrets import Secrets, place_of_parameter
from tenuto.ports.store_reads import ProcessReads


class Requests:
    """Builds the requests of one run; reads each process once."""

    def __init__(self, store: ProcessReads, secrets: Secrets) -> None:
        self._store = store
        self._secrets = secrets
        self._processes: dict[Fid, Process | None] = {}

    def of(self, found: ManagedObject, observed: JsonMap | None = None) -> Request:
        """The request for one object, for what is kept as it is found with what is observed.

        Raises PermanentError when a secret cannot be unsealed.
        """
        process = self._process(found.fid)
        return Request(
            object_id=found.object_id,
            fid=found.fid,
            process_name=process.name if process else "",
            logical_id=found.logical_id,
            type=found.type,
            token=found.object_id,
            properties=as_found(self._clear(found.desired, process), observed or {}, found.kept if observed else ()),
            physical_id=found.physical_id,
            observed=observed,
            attributes=found.attributes,
            keeps_snapshot=found.deletion_policy is DeletionPolicy.SNAPSHOT,
        )

    def _process(self, fid: Fid | None) -> Process | None:
        if fid is None:
            return None
        if fid not in self._processes:
            self._processes[fid] = self._store.process(fid)
        return self._processes[fid]

    def _clear(self, properties: JsonMap, process: Process | None) -> JsonMap:
        if resolve.is_resolved(properties) or process is None:
            return properties
        secrets: Mapping[str, Json] = {
            name: self._secrets.unseal(text, place_of_parameter(process.fid, name))
            for name, text in process.sealed.items()
        }
        clear: JsonMap = resolve.resolve(properties, resolve.Environment(references=secrets))
        return clear
