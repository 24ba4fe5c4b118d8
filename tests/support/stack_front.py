"""CloudFormation in front of an emulated AWS: change sets that say what they change, and deletions that retain.

The emulator's own change sets name no attribute, and their execution makes security groups anew, which CloudFormation
never does. So this front answers for change sets, and for the stacks that went through one; every other call is passed
on. Each call is noted, so that a test can tell what was done to an account.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

from aws_sessions import open_session
from ruamel.yaml import YAML
from ruamel.yaml.comments import TaggedScalar

_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")
_READS = ("Describe", "List", "Get", "Head", "GET", "HEAD")
_HANDLE = "AWS::CloudFormation::WaitConditionHandle"
"""A type of which nothing is in the account, so that nothing of it can be deleted."""


@dataclass
class _ChangeSet:
    template: str
    changes: list[dict[str, Any]]
    execution: str = "AVAILABLE"


@dataclass
class _Kept:
    """A stack that this front answers for: its template, and the members that are still in it."""

    template: str
    is_gone: bool = False
    members: list[dict[str, str]] = field(default_factory=list)
    outputs: list[dict[str, str]] = field(default_factory=list)


@dataclass
class StackFront:
    """The state of a front. `importers` are the stacks that import each export."""

    endpoint: str
    url: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    importers: dict[str, list[str]] = field(default_factory=dict)
    change_sets: dict[tuple[str, str], _ChangeSet] = field(default_factory=dict)
    kept: dict[str, _Kept] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """The calls of other services that are answered by a server that has failed."""
    slipped: str = ""
    """A resource that a change set also changes, as when a default of AWS has moved."""

    def changing(self) -> list[tuple[str, str]]:
        """The calls that change something, without those of CloudFormation."""
        return [one for one in self.calls if not one[1].startswith(_READS) and one[0] != "cloudformation"]

    def answer(self, action: str, asked: Mapping[str, str]) -> tuple[int, str] | None:
        """The answer to a call of CloudFormation; None for one that is passed on."""
        stack = asked.get("StackName", "")
        match action:
            case "CreateChangeSet":
                return self._make(stack, asked)
            case "DescribeChangeSet":
                return self._describe(stack, asked["ChangeSetName"])
            case "DeleteChangeSet":
                self.change_sets.pop((stack, asked["ChangeSetName"]), None)
                return _told(action, "")
            case "ExecuteChangeSet":
                return self._execute(stack, asked["ChangeSetName"])
            case "ListImports":
                found = self.importers.get(asked["ExportName"], [])
                if not found:
                    return _refused("ValidationError", f"Export '{asked['ExportName']}' is not imported by any stack.")
                return _told(action, _members("Imports", found))
        known = next((one for name, one in self.kept.items() if stack in (name, name.split("/")[1])), None)
        return None if known is None else self._of_kept(action, stack, known)

    def _of_kept(self, action: str, stack: str, known: _Kept) -> tuple[int, str] | None:
        if known.is_gone:
            return _refused("ValidationError", f"Stack with id {stack} does not exist")
        match action:
            case "GetTemplate":
                body = f"<TemplateBody>{escape(known.template)}</TemplateBody>"
                return _told(action, body + _members("StagesAvailable", ["Original"]))
            case "ListStackResources":
                rows = "".join(f"<member>{_fields(one)}</member>" for one in known.members)
                return _told(action, f"<StackResourceSummaries>{rows}</StackResourceSummaries>")
            case "DeleteStack":
                template = _parsed(known.template)
                loose = [
                    name
                    for name, one in template["Resources"].items()
                    if one.get("DeletionPolicy") != "Retain" and one["Type"] != _HANDLE
                ]
                assert not loose, f"{loose} would have been deleted"
                known.is_gone = True
                return _told(action, "")
        return None

    def _make(self, stack: str, asked: Mapping[str, str]) -> tuple[int, str]:
        before, after = _parsed(self._template(stack)), _parsed(asked["TemplateBody"])
        if wrong := _wrong_parameters(after.get("Parameters") or {}, asked):
            return _refused("ValidationError", wrong)
        names = [*dict.fromkeys([*before["Resources"], *after["Resources"]])]
        changes = [one for name in names if (one := self._changed(name, before["Resources"], after["Resources"]))]
        self.change_sets[stack, asked["ChangeSetName"]] = _ChangeSet(template=asked["TemplateBody"], changes=changes)
        return _told("CreateChangeSet", f"<Id>cs</Id><StackId>{escape(stack)}</StackId>")

    def _changed(self, name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
        if name not in after or name not in before:
            return {"Action": "Remove" if name in before else "Add", "LogicalResourceId": name}
        scope = [
            part for part in ("Properties", "Metadata", *_POLICIES) if before[name].get(part) != after[name].get(part)
        ]
        # A policy alone is no update.
        if not set(scope) - set(_POLICIES):
            return None
        if name == self.slipped:
            return {"Action": "Modify", "LogicalResourceId": name, "Replacement": "True", "Scope": ["Properties"]}
        return {"Action": "Modify", "LogicalResourceId": name, "Replacement": "False", "Scope": scope}

    def _describe(self, stack: str, name: str) -> tuple[int, str]:
        found = self.change_sets.get((stack, name))
        if found is None:
            return _refused("ChangeSetNotFound", f"ChangeSet [{name}] does not exist")
        rows = "".join(
            f"<member><Type>Resource</Type><ResourceChange>{_fields(one)}</ResourceChange></member>"
            for one in found.changes
        )
        return _told(
            "DescribeChangeSet",
            f"<ChangeSetName>{name}</ChangeSetName><StackName>{escape(stack)}</StackName>"
            f"<ExecutionStatus>{found.execution}</ExecutionStatus><Status>CREATE_COMPLETE</Status>"
            f"<Changes>{rows}</Changes>",
        )

    def _execute(self, stack: str, name: str) -> tuple[int, str]:
        found = self.change_sets[stack, name]
        found.execution = "EXECUTE_COMPLETE"
        kept = self.kept.setdefault(stack, _Kept(template=found.template, members=self._listed(stack)))
        kept.template = found.template
        resources = _parsed(found.template)["Resources"]
        kept.members = [one for one in kept.members if one["LogicalResourceId"] in resources]
        known = {one["LogicalResourceId"] for one in kept.members}
        kept.members += [
            _row(name, f"https://cloudformation-waitcondition/{name}", one["Type"])
            for name, one in resources.items()
            if name not in known and one["Type"] == _HANDLE
        ]
        return _told("ExecuteChangeSet", "")

    def _template(self, stack: str) -> str:
        if stack in self.kept:
            return self.kept[stack].template
        body = self._client().get_template(StackName=stack)["TemplateBody"]
        return body if isinstance(body, str) else json.dumps(body)

    def _listed(self, stack: str) -> list[dict[str, str]]:
        found = self._client().list_stack_resources(StackName=stack)["StackResourceSummaries"]
        return [
            _row(one.get("LogicalResourceId", ""), one.get("PhysicalResourceId", ""), one.get("ResourceType", ""))
            for one in found
        ]

    def _client(self) -> Any:
        session = open_session()
        session.set_credentials("test", "test")
        return session.create_client("cloudformation", region_name="us-east-1", endpoint_url=self.endpoint)


@contextmanager
def a_stack_front(endpoint: str) -> Iterator[StackFront]:
    """The front on a free port of loopback."""
    front = StackFront(endpoint)
    target = urlsplit(endpoint)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            service = (self.headers.get("Authorization", "").split("Credential=")[-1].split("/") + [""] * 4)[3]
            asked = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
            action = asked.get("Action") or self.headers.get("X-Amz-Target", "").rpartition(".")[2] or self.command
            if service == "s3" and self.command != "GET" and self.command != "HEAD":
                action = f"{self.command} {urlsplit(self.path).query}"
            front.calls.append((service, action))
            own = front.answer(action, asked) if service == "cloudformation" else None
            if action in front.broken:
                own = 500, "<html>Internal Server Error</html>"
            if own is not None:
                self._send(own[0], "text/xml", own[1].encode())
                return
            connection = HTTPConnection(target.hostname or "", target.port or 80, timeout=60)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection.request(self.command, self.path, body=body, headers={**headers, "Host": target.netloc})
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection", "date", "server"):
                    self.send_header(name, value)
            length = answer.getheader("Content-Length", "0") if self.command == "HEAD" else str(len(content))
            self.send_header("Content-Length", length)
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    front.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield front
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _wrong_parameters(declared: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    """The refusal of a change set whose parameters are not those of its template, in the words of CloudFormation."""
    given = [value for key, value in asked.items() if key.endswith(".ParameterKey")]
    if given and not declared:
        return "Parameter values specified for a template which does not require them."
    strange = [name for name in given if name not in declared]
    if strange:
        return f"Parameters: [{', '.join(strange)}] do not exist in the template"
    open_ = [name for name, one in declared.items() if "Default" not in one and name not in given]
    return f"Parameters: [{', '.join(open_)}] must have values" if open_ else ""


def _row(name: str, physical_id: str, kind: str) -> dict[str, str]:
    """A resource as a list of the resources of a stack has it."""
    return {
        "LogicalResourceId": name,
        "PhysicalResourceId": physical_id,
        "ResourceType": kind,
        "ResourceStatus": "CREATE_COMPLETE",
        "LastUpdatedTimestamp": "2026-01-01T00:00:00Z",
    }


def _parsed(text: str) -> Any:
    """A template as plain values, as YAML reads it; JSON is YAML, too."""
    return _plain(YAML().load(text))


def _plain(value: Any) -> Any:
    """The value without places; a short form of a function by its tag."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, TaggedScalar):
        return {str(value.tag.value): value.value}
    return value


def _told(action: str, content: str) -> tuple[int, str]:
    return 200, (
        f'<{action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">'
        f"<{action}Result>{content}</{action}Result>"
        f"<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></{action}Response>"
    )


def _refused(code: str, message: str) -> tuple[int, str]:
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{escape(message)}</Message></Error>"
    return 400, f"<ErrorResponse>{error}<RequestId>r-1</RequestId></ErrorResponse>"


def _members(name: str, values: list[str]) -> str:
    return f"<{name}>{''.join(f'<member>{escape(one)}</member>' for one in values)}</{name}>"


def _fields(one: Mapping[str, Any]) -> str:
    return "".join(
        _members(name, value) if isinstance(value, list) else f"<{name}>{escape(str(value))}</{name}>"
        for name, value in one.items()
    )
