"""Rules of a template that wait for looked-up values: they are decided before anything is stored or made."""

from collections.abc import Callable

import pytest
from front import Front, submission

from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic
from tenuto.service.intake.composition import Submission

TEMPLATE = """
Parameters: {Image: {Type: "AWS::SSM::Parameter::Value<String>", Default: /image}}
Rules:
  Blessed:
    Assertions:
      - Assert: {Fn::Contains: [[image-1, image-2], !Ref Image]}
        AssertDescription: Only blessed images
Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Image}}}
"""
CDK = """
Parameters:
  BootstrapVersion: {Type: "AWS::SSM::Parameter::Value<String>", Default: /cdk-bootstrap/hnb659fds/version}
Rules:
  CheckBootstrapVersion:
    Assertions:
      - Assert: {Fn::Not: [{Fn::Contains: [['1', '2', '3', '4', '5'], !Ref BootstrapVersion]}]}
        AssertDescription: CDK bootstrap stack version 6 required.
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  CDKMetadata: {Type: AWS::CDK::Metadata, Properties: {Analytics: v2}}
"""
Ask = Callable[[Front, Submission], object]


def _refused(front: Front, ask: Ask) -> CompileError:
    with pytest.raises(CompileError, match="Blessed: Only blessed images") as failed:
        ask(front, submission(TEMPLATE))
    return failed.value


@pytest.mark.parametrize(
    "ask",
    [
        lambda front, sent: front.commands.run(sent, alias="web"),
        lambda front, sent: front.commands.dry_runs.run(sent, alias="web", account="default"),
        lambda front, sent: front.commands.dry_runs.apply(sent, alias="web", account=None),
    ],
)
def test_a_process_is_not_made_of_values_that_break_a_rule(ask: Ask) -> None:
    front = Front()
    front.conductor.looked_up = {"/image": "image-9"}
    found = _refused(front, ask)
    (diagnostic,) = found.diagnostics
    assert isinstance(diagnostic, Diagnostic)
    assert diagnostic.position is not None
    assert (diagnostic.code, diagnostic.position.line) == ("T410", 6)
    assert front.store.processes() == ()
    front.conductor.looked_up = {"/image": "image-2"}
    ask(front, submission(TEMPLATE))


@pytest.mark.parametrize(
    "ask",
    [
        lambda front, sent: front.commands.update("web", sent),
        lambda front, sent: front.commands.dry_runs.update("web", sent),
    ],
)
def test_an_update_to_values_that_break_a_rule_changes_nothing(ask: Ask) -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    before = front.store.process("web")
    front.conductor.looked_up = {"/image": "image-9"}
    _refused(front, ask)
    assert front.store.process("web") == before


def test_a_template_of_the_cdk_runs_in_an_account_that_was_never_bootstrapped() -> None:
    front = Front()
    process = front.commands.run(submission(CDK), alias="web")
    assert process.lookups == {}
    stored = front.store.composition(process.composition_digest)
    assert stored is not None
    assert [one.logical_id for one in stored.resources] == ["Net"]
