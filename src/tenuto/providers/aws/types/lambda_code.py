"""The code of a Lambda function, as a part of its block.

A composition declares code in three ways: an object in S3, an image, or a text (`ZipFile`). CloudFormation packs a text
as the file `index` of an archive, and so does Tenuto. Where the text asks for the module by which functions answer
custom resources, a module with the published interface goes with it. Lambda shows nothing of where code came from: a
declaration that changes is sent again, and nothing else is.
"""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew

_CODE, _FORM, _TEXT = "Code", "Architectures", "ZipFile"
_DAWN = (1980, 1, 1, 0, 0, 0)
"""The earliest time of an archive: the same text gives the same bytes."""
_READABLE = 0o644 << 16

_PYTHON = """\
import json
import urllib.request

SUCCESS = "SUCCESS"
FAILED = "FAILED"


def send(event, context, responseStatus, responseData, physicalResourceId=None, noEcho=False, reason=None):
    answer = {
        "Status": responseStatus,
        "Reason": reason or "Details are in the log stream " + context.log_stream_name,
        "PhysicalResourceId": physicalResourceId or context.log_stream_name,
        "NoEcho": noEcho,
        "Data": responseData,
    }
    answer.update((name, event[name]) for name in ("StackId", "RequestId", "LogicalResourceId"))
    body = json.dumps(answer).encode()
    request = urllib.request.Request(event["ResponseURL"], data=body, headers={"Content-Type": ""}, method="PUT")
    urllib.request.urlopen(request).close()
"""
_NODE = """\
const https = require("https");

exports.SUCCESS = "SUCCESS";
exports.FAILED = "FAILED";

exports.send = (event, context, status, data, physicalId, noEcho) => new Promise((resolve) => {
  const body = JSON.stringify({
    Status: status,
    Reason: "Details are in the log stream " + context.logStreamName,
    PhysicalResourceId: physicalId || context.logStreamName,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
    NoEcho: noEcho || false,
    Data: data,
  });
  const headers = { "content-type": "", "content-length": Buffer.byteLength(body) };
  const end = () => { context.done(); resolve(); };
  const request = https.request(event.ResponseURL, { method: "PUT", headers }, end);
  request.on("error", end);
  request.end(body);
});
"""
_ANSWERING = {"python": ("py", "cfnresponse", _PYTHON), "nodejs": ("js", "cfn-response", _NODE)}
"""By runtime: the ending of its files, the module that answers custom resources, and its text."""


def archive(text: str, runtime: str) -> bytes:
    """The archive of a text of code. Raises PermanentError for a runtime that takes none."""
    found = next((one for name, one in _ANSWERING.items() if runtime.startswith(name)), None)
    if found is None:
        raise PermanentError(
            f"Code.{_TEXT} is a text for Python or Node.js, and the Runtime is {runtime or 'not declared'}: "
            "put the code into S3 and declare S3Bucket and S3Key.",
            code="InvalidRequest",
        )
    ending, module, answering = found
    files = {f"index.{ending}": text} | ({f"{module}.{ending}": answering} if module in text else {})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DAWN)
            entry.external_attr = _READABLE
            into.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@dataclass(frozen=True, kw_only=True)
class Code(Shown):
    """The code and the processor that it is for: one call changes both."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_CODE, _FORM})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_FORM: list(thing.answer[_FORM])} if _FORM in thing.answer else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_CODE: _given(work), **work.given(_FORM)}

    def repair(self, work: Work, service: str, words: str) -> None:
        if is_sent_anew(work.request, _CODE) or work.differs(_FORM):
            given = {**_given(work), **work.given(_FORM)}
            work.change(service, "UpdateFunctionCode", FunctionName=work.id, **given)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_CODE: f"{service}:UpdateFunctionCode", _FORM: f"{service}:UpdateFunctionCode"}


def _given(work: Work) -> JsonMap:
    code = {name: value for name, value in dict(work.need(_CODE)).items() if value is not None}
    if _TEXT in code:
        code[_TEXT] = archive(str(code[_TEXT]), str(work.want("Runtime") or ""))
    return code
