"""The mending of the Conductor's own file of a blob, from the copy of a host.

Theory of operation. A blob whose file is damaged or lost says so, and its artifacts show it as a deviation. When a host
has a good copy, it is ordered to send it: the host is stored with the blob before the order. That record also permits
it to send, and permits nothing else. The part that has come is read as a whole beside the phases, and takes the place
of the file only when its digest is right. A host whose copy was wrong, or does not come, is passed over for a while.
Every step may be repeated, so a death in between costs a minute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tenuto.errors import TenutoError
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.image import DAMAGE, STAMP
from tenuto.ports.images import ImageFiles, ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Problem
from tenuto.providers.local.images.sealing import Seals
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.phases.common import RETRY_S, UNDER_WAY_S, Described, Tools, kept_up, problems_of
from tenuto.providers.local.phases.replicas import AVOID_S, GOOD, REPLICAS, STATE, copy_spec
from tenuto.providers.local.rules.replication import MENDER, SEND_AS, mend_part, place_of

EVERY_S = 60.0
_AVOIDED = "avoided"


class Mending:
    """Makes the definition and its handler. `take_shelf` comes before it runs."""

    def __init__(self, tools: Tools, files: ImageFiles, seals: Seals) -> None:
        self._tools = tools
        self._files = files
        self._seals = seals
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def phases(self) -> Sequence[Described]:
        return (
            kept_up(
                "blob.mend",
                self._mend,
                (BLOB,),
                (MadeState.CREATED,),
                "Taking its file back from a host",
                every_s=EVERY_S,
            ),
        )

    def _mend(self, run: PhaseRun) -> None:
        needy = [one for one in run.resources if DAMAGE in one.attributes or MENDER in one.attributes]
        run.complete([one for one in run.resources if one not in needy])
        for one in needy:
            one.attributes[MENDER] = self._chosen(run, one)
        # Stored before anything is ordered: a host may send the blob that is named here.
        run.checkpoint(needy)
        for one in needy:
            key = str(one.attributes[MENDER])
            if not key:
                one.attributes.pop(MENDER)
                self._files.drop(mend_part(one.object.object_id))
                run.complete(one)
            elif (problem := self._ordered(one, key)) is None:
                self._take(run, one, key)
            elif problem.is_under_way:
                run.sleep(one, UNDER_WAY_S, f"its copy on {key} comes back to the Conductor: {problem.message}")
            else:
                self._pass_over(run, one, key, problem.message)

    def _chosen(self, run: PhaseRun, one: PhaseResource) -> str:
        """The host that sends its copy; an empty text for none, and for a blob that is whole."""
        if DAMAGE not in one.attributes:
            return ""
        avoided = _avoided(run, one)
        good = [
            key
            for key, facts in sorted((one.attributes.get(REPLICAS) or {}).items())
            if facts[STATE] == GOOD
            and not self._tools.is_lost(*place_of(key))
            and float(str(avoided.get(key, 0.0))) <= run.now
        ]
        known = str(one.attributes.get(MENDER) or "")
        return known if known in good else next(iter(good), "")

    def _ordered(self, one: PhaseResource, key: str) -> Problem | None:
        spec = copy_spec(one, key)
        wanted = replace(spec, properties={**spec.properties, SEND_AS: mend_part(one.object.object_id)})
        order = problems_of([spec.object_id], lambda: self._tools.driver.ensure(place_of(key)[0], [wanted]))
        return order.get(spec.object_id)

    def _take(self, run: PhaseRun, one: PhaseResource, key: str) -> None:
        """Put the part that has come in the place of the file, when it is right."""
        part, sha512 = mend_part(one.object.object_id), str(one.object.desired["Sha512"])
        try:
            content = self._seals.ask(part)
        except (FileNotFoundError, TenutoError) as error:
            self._pass_over(run, one, key, f"nothing that can be read came from it ({error})")
            return
        if content is None:
            run.sleep(one, UNDER_WAY_S, f"what came from {key} is being read")
        elif content.sha512 != sha512:
            self._files.drop(part)
            self._pass_over(run, one, key, "its copy has other bytes than the blob")
        else:
            # The damaged file has to go first: one of the right size would stay.
            self._files.remove(sha512)
            one.attributes[STAMP] = self._files.keep(part, sha512).document()
            one.attributes.pop(DAMAGE, None)
            one.attributes.pop(MENDER, None)
            self._told.tell_damage(one.object.object_id, "")
            run.complete(one)

    def _pass_over(self, run: PhaseRun, one: PhaseResource, key: str, why: str) -> None:
        run.data(one)[_AVOIDED] = {**_avoided(run, one), key: run.now + AVOID_S}
        run.sleep(one, RETRY_S, f"the host {key} does not give its copy: {why}; another one is asked", code="NoCopy")

    @property
    def _told(self) -> ImageShelf:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        return self._shelf


def _avoided(run: PhaseRun, one: PhaseResource) -> Mapping[str, Any]:
    found = run.data(one).get(_AVOIDED)
    return found if isinstance(found, Mapping) else {}
