"""The private parts of botocore that Tenuto touches: all of them are here.

botocore has no public way to three things that Tenuto needs: the classes of a client's connections (to bound the time
of a whole answer), the text of an answer before its XML is parsed (to repair characters that XML cannot carry), and
each structure of a parsed answer (to notice a member that is missing). `test_botocore_internals.py` asks a real client
for each of them, so that a version of botocore without them fails there and not in an account.

Rejected: a parser of our own. botocore's knows every protocol and every exception of every service; measured, cutting
lists into known items (`item_parser`) makes it fast enough.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from botocore.model import Shape


def pool_classes(client: Any) -> MutableMapping[str, type[Any]]:
    """The classes of the client's connection pools, by scheme. Changing one changes this client alone."""
    classes: MutableMapping[str, type[Any]] = client._endpoint.http_session._pool_classes_by_scheme
    return classes


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
