"""The private parts of botocore that Tenuto touches: all of them are here.

botocore has no public way to four things that Tenuto needs: the classes of a client's connections (to bound the time
of a whole answer), the text of an answer before its XML is parsed (to repair characters that XML cannot carry), each
structure of a parsed answer (to notice a member that is missing), and the start of the programs that hand out
credentials (to bound their time). `test_botocore_internals.py` asks real clients and sessions for each of them, so that
a version of botocore without them fails there and not in an account.

Rejected: a parser of our own. botocore's knows every protocol and every exception of every service; measured, cutting
lists into known items (`item_parser`) makes it fast enough.
"""

from collections.abc import Callable, MutableMapping
from functools import partial
from typing import Any

from botocore.credentials import ProcessProvider
from botocore.model import Shape
from botocore.session import Session


def pool_classes(client: Any) -> MutableMapping[str, type[Any]]:
    """The classes of the client's connection pools, by scheme. Changing one changes this client alone."""
    classes: MutableMapping[str, type[Any]] = client._endpoint.http_session._pool_classes_by_scheme
    return classes


def start_programs_by(session: Session, start: Callable[..., Any]) -> None:
    """Have the programs that hand out credentials to a session started by `start`, in the place of `subprocess.Popen`:
    those of its profile, and of the profiles whose credentials its profile takes. The last one given counts.

    Nothing changes in a session with another finder of credentials than botocore's own. Raises ProfileNotFound.
    """
    for found in getattr(session.get_component("credential_provider"), "providers", ()):
        if isinstance(found, ProcessProvider):
            found._popen = start
        builder = getattr(found, "_profile_provider_builder", None)
        if builder is not None:
            make = type(builder)._create_process_provider
            builder._create_process_provider = partial(_started_by, start, partial(make, builder))


def _started_by(start: Callable[..., Any], make: Callable[[str], Any], profile_name: str) -> Any:
    found = make(profile_name)
    found._popen = start
    return found


def hooked(
    parser: type[Any],
    *,
    read_xml: Callable[[Callable[[bytes], Any], bytes], Any],
    made: Callable[[dict[str, Any]], dict[str, Any]],
) -> type[Any]:
    """A parser class of botocore with two hooks.

    `read_xml` gets the parser's own reader and the text of an answer, and returns its tree. `made` gets each plain
    structure of an answer, and returns the value that stands in its place.
    """

    class Hooked(parser):  # type: ignore[misc]
        def _parse_xml_string_to_dom(self, xml_string: bytes) -> Any:
            return read_xml(super()._parse_xml_string_to_dom, xml_string)

        def _handle_structure(self, shape: Shape, value: Any) -> Any:
            parsed = super()._handle_structure(shape, value)
            return made(parsed) if type(parsed) is dict else parsed

    return Hooked
