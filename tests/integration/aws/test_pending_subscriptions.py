"""A subscription that waits for its confirmation has no ARN in any list, and is yet a resource of its own."""

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import StrictWorld

TEMPLATE = """
Resources:
  News:
    Type: AWS::SNS::Topic
    Properties: {Subscription: [{Protocol: sqs, Endpoint: "arn:aws:sqs:us-east-1:123456789012:mail"}]}
  Mail: {Type: AWS::SNS::Subscription, Properties: {TopicArn: !Ref News, Protocol: email, Endpoint: a@example.com}}
"""


def test_a_topic_does_not_take_a_waiting_subscription_that_is_a_resource_for_its_own() -> None:
    world = StrictWorld(Cloud)
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters={}, region="us-east-1")
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    assert world.settle()
    world.advance(900)
    process = world.store.process("web")
    assert process is not None
    assert process.last_message == ""
    assert world.system.queries.plan("web").planning.is_converged
    assert world.changes().count("Subscribe") == 2
    assert "Unsubscribe" not in world.changes()


def test_a_topic_leaves_a_confirmed_subscription_that_is_a_resource_alone_however_old_it_is() -> None:
    world = StrictWorld(Cloud)
    template = TEMPLATE.replace("email", "sqs").replace("a@example.com", "arn:aws:sqs:us-east-1:123456789012:other")
    compiled = compile_text(template, file="web.yaml", parameters={}, region="us-east-1")
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    assert world.settle()
    world.advance(2 * 3600)
    assert world.system.queries.plan("web").planning.is_converged
    assert world.changes().count("Subscribe") == 2
    assert "Unsubscribe" not in world.changes()


def test_a_password_that_sns_veils_is_no_drift() -> None:
    world = StrictWorld(Cloud)
    template = TEMPLATE.replace("{Protocol: sqs,", "{Protocol: https,").replace(
        "arn:aws:sqs:us-east-1:123456789012:mail", "https://me:secret@example.com/inside"
    )
    template = template.replace("email", "https").replace("a@example.com", "https://me:secret@example.com/beside")
    compiled = compile_text(template, file="web.yaml", parameters={}, region="us-east-1")
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    assert world.settle()
    world.advance(900)
    assert world.system.queries.plan("web").planning.is_converged
    assert world.changes().count("Subscribe") == 2
    assert "Unsubscribe" not in world.changes()
