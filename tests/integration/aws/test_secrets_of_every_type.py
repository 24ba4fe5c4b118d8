"""AWS refuses every call about every type once, and repeats a NoEcho value in each refusal, in some encoding.

The value is then looked for in the whole database, the log and the answers of the API. Which call is refused does not
matter, as long as each one is: creations, the calls that complete them, looks, changes and deletions.
"""

import base64
import json
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from structlog.testing import capture_logs

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.core.access.masking import MASK
from tenuto.errors import PermanentError, ProviderError
from tenuto.model.command import ProcessState
from tenuto.service.commands import plan_view
from tenuto.service.common.event_page import EventPage
from tenuto.service.intake.composition import Submission
from tenuto.service.views import history_view, process_view
from tenuto.service.views.progress_view import progress_document
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.cloud.services import Service
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.strict_world import REGION, StrictWorld

SECRET = 'Zq9/Super "Secret" & Xyzzy+42'
_FOLDER = Path(__file__).parents[2] / "templates"
_OTHERS = {"cdk.out", "emulated"}
"""An assembly, and templates of services that only the emulator has."""
TEMPLATES = sorted(path for path in _FOLDER.rglob("*.[jy]*") if _OTHERS.isdisjoint(path.parts))
"""Those that are whole by themselves: the files of an assembly need each other."""
ENCODINGS: tuple[Callable[[str], str], ...] = (
    str,
    quote,
    quote_plus,
    json.dumps,
    escape,
    lambda text: escape(text, {'"': "&quot;"}),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.b64encode(b"x" + text.encode() + b"yz").decode(),
    lambda text: text[:12] + "...",
)
_PROTECTED = "It is protected from termination."
_OF_NO_RESOURCE = frozenset({"GetCallerIdentity", "DescribeAvailabilityZones", "DescribeRegions"})


class Telltale(Cloud):
    """A cloud that refuses each action about resources once, and tells more than it should."""

    told: dict[str, str]

    def _admit(self, service: Service, call: Call) -> None:
        if not hasattr(self, "told"):
            self.told = {}
        if call.action not in self.told and call.action not in _OF_NO_RESOURCE:
            encode = ENCODINGS[len(self.told) % len(ENCODINGS)]
            text = encode(SECRET)
            self.told[call.action] = text
            raise Refusal("InvalidParameterValue", f"Value ({text}) for a parameter is invalid. {text}")
        super()._admit(service, call)


def submission(path: Path) -> Submission:
    """The template with a parameter that is a secret, and something that is made of it."""
    parameter = {"Type": "String", "NoEcho": True}
    resource = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": {"Ref": "Pw"}}}
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        document = json.loads(text)
        document.setdefault("Parameters", {})["Pw"] = parameter
        document["Resources"]["Telltale"] = resource
        text = json.dumps(document)
    else:
        if not re.search(r"^Parameters:$", text, re.MULTILINE):
            text = f"{text}\nParameters:\n"
        text = re.sub(r"^Parameters:$", f"Parameters:\n  Pw: {json.dumps(parameter)}", text, flags=re.MULTILINE)
        text = re.sub(r"^Resources:$", f"Resources:\n  Telltale: {json.dumps(resource)}", text, flags=re.MULTILINE)
    compiled = compile_text(text, file=path.name, parameters={"Pw": SECRET}, region=REGION)
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)


def looked_up(run: Callable[[], object]) -> list[str]:
    """Run it, again where what the parameters name could not be looked up. All that a log could tell of that."""
    try:
        run()
    except PermanentError as error:
        refused = "".join(traceback.format_exception(error))
        run()
        return [refused]
    return []


def persist(world: StrictWorld, again: Callable[[], object]) -> list[str]:
    """Go on as often as something is refused. What the API told on the way."""
    told: list[str] = []
    for _ in range(80):
        world.settle()
        process = world.store.process("web")
        if process is None or process.state is ProcessState.GONE:
            return told
        told += answers(world)
        if process.state is not ProcessState.SUSPENDED:
            return told
        if _PROTECTED in process.last_message:
            # A person must lift the protection of the instance: there is no more to refuse.
            return told
        again()
    raise AssertionError(f"it is refused again and again: {process.last_message}")


def answers(world: StrictWorld) -> list[str]:
    """Everything that the API says of the process now."""
    queries = world.system.queries
    questions: tuple[Callable[[], object], ...] = (
        lambda: process_view.process_detail_document(queries.process("web")),
        lambda: progress_document(queries.progress("web", 1000)),
        lambda: history_view.history_document(queries.history("web")),
        lambda: history_view.ops_document(queries.history("web")),
        lambda: history_view.events_document(EventPage(events=queries.events(), older=None), {}),
        lambda: plan_view.plan_document(queries.plan("web")),
        lambda: repr(queries.explain("web")),
    )
    told = []
    for ask in questions:
        try:
            told.append(json.dumps(ask()))
        except ProviderError as error:
            # A sweep may be what is refused.
            told.append(json.dumps(str(error)))
    return told


def stored(world: StrictWorld) -> str:
    with world.store._database.reading() as connection:  # type: ignore[attr-defined]
        return "\n".join(connection.iterdump())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_secret_that_is_put_through_every_refusal_is_told_nowhere(path: Path) -> None:
    world = StrictWorld(lambda clock: Telltale(clock, quotas=BOUNDLESS))
    with capture_logs() as log:
        commands = world.system.commands
        told = looked_up(lambda: commands.run(submission(path), alias="web"))
        told += persist(world, lambda: commands.resume("web"))
        commands.kill("web")
        told += persist(world, lambda: commands.kill("web"))
    places = {"database": stored(world), "log": repr(log), "api": "\n".join(told)}
    cloud = world.aws
    assert isinstance(cloud, Telltale)
    assert len(cloud.told) > 3
    assert MASK in places["database"]
    # The longest part of it that no encoding changes, and each encoding that was sent.
    forms = {SECRET, "Xyzzy", *cloud.told.values()}
    assert {(place, form) for place, text in places.items() for form in forms if form in text} == set()
    gone = world.store.process("web")
    assert gone is None or gone.state is ProcessState.GONE or _PROTECTED in gone.last_message


def test_every_type_is_in_one_of_the_templates() -> None:
    found = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    assert [name for name in SERVED if f"{name}\n" not in found and f'{name}"' not in found] == []
