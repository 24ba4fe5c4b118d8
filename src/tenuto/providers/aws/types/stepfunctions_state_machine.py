"""AWS::StepFunctions::StateMachine. Its Ref is its ARN.

Theory of operation. A definition is declared as a text or as a mapping, with `${NAME}` where a substitution comes. Step
Functions shows the text as it was sent: so it is shown as both here, and a name in the declared one may stand for
anything. The value that it stands for is never shown; other substitutions are sent when they are declared. A definition
in S3 is read when the machine is made and when another place is declared; the text that Step Functions shows is
compared with nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.spelling import Program
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.s3_text import text_at
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

_TEXT, _MAPPING, _SUBSTITUTIONS = "DefinitionString", "Definition", "DefinitionSubstitutions"
_PLACE = "DefinitionS3Location"
_LARGEST_BYTES = 1024 * 1024
"""The largest definition that Step Functions takes."""
_NAME = r"\$\{[\w.-]+\}"
_DEFINITION = Program(gap=_NAME)


@dataclass(frozen=True, kw_only=True)
class _Definition(Shown):
    """The definition in its three forms, and the values that are put into it."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_TEXT, _MAPPING, _PLACE, _SUBSTITUTIONS})

    def read(self, thing: Thing) -> dict[str, Json]:
        text = thing.answer.get("definition")
        mapping = parsed(str(text or "").lstrip())
        return {} if text is None else {_TEXT: text} | ({_MAPPING: mapping} if isinstance(mapping, Mapping) else {})

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"definition": _filled(work)}

    def repair(self, work: Work, service: str, words: str) -> None:
        is_new = any(is_sent_anew(work.request, name) for name in (_PLACE, _SUBSTITUTIONS))
        if is_new or any(work.differs(name) for name in (_TEXT, _MAPPING)):
            work.change(service, "UpdateStateMachine", stateMachineArn=work.id, definition=_filled(work))

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys(sorted(self.properties), f"{service}:UpdateStateMachine+")


def _filled(work: Work) -> str:
    """The definition as Step Functions takes it, with the substitutions in their places."""
    values = {str(name): text_of(value) for name, value in (work.want(_SUBSTITUTIONS) or {}).items()}
    declared, place = work.want(_TEXT) or work.want(_MAPPING), work.want(_PLACE)
    if declared is None and place is not None:
        text = text_at(work, place, _LARGEST_BYTES, "Step Functions")
    else:
        text = text_of(declared or work.need(_MAPPING))
    return re.sub(_NAME, lambda match: values.get(match[0][2:-1], match[0]), text)


STATE_MACHINE = block(
    "AWS::StepFunctions::StateMachine",
    "stepfunctions",
    key="stateMachineArn",
    listed=Listed(operation="ListStateMachines", id="stateMachineArn"),
    # The list does not tell the state.
    described=Described(call=Call("DescribeStateMachine"), anew=True),
    named=Named("StateMachineName", 80),
    name_after=":",
    # Step Functions answers the creation of a machine with the same definition like any other.
    asks_first=True,
    create="CreateStateMachine",
    made="stateMachineArn",
    renamed={"StateMachineName": "name", "StateMachineType": "type"},
    modify={"UpdateStateMachine": "*"},
    parts=(_Definition(),),
    delete="DeleteStateMachine",
    state=State(at="status", going="DELETING"),
    attributes={"Arn": "$id", "Name": "$name", "StateMachineRevisionId": "revisionId || 'INITIAL'"},
    tags=tags_in_small_words("stepfunctions"),
    shows=_MAPPING,
    compare_as={_TEXT: _DEFINITION, _MAPPING: _DEFINITION},
    unsaid=[unsaid(_MAPPING)],
    # A machine has these where its declaration does not say; the schema publishes no defaults.
    defaults={
        "EncryptionConfiguration": {"Type": "AWS_OWNED_KEY"},
        "LoggingConfiguration": {"Level": "OFF"},
        "TracingConfiguration": {"Enabled": False},
    },
    named_by="",
    named_attributes="Arn Name",
)
TYPES = (STATE_MACHINE,)
