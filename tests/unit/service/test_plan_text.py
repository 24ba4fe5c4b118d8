"""A plan in words."""

from tenuto.service.plan_text import operations_text, plan_text


def test_calls_that_count_together_are_told_in_words() -> None:
    apis = [
        {"api": "ec2:CreateVpc", "calls": 2, "least_s": 0.1},
        {"api": "sqs:changes", "calls": 3, "least_s": 4.0},
    ]
    document = {"operations": [], "summary": {"create": 5}, "bill": {"calls": 5, "least_s": 4.0, "apis": apis}}
    assert "Calls: 5 to the provider, which take 4 s or more: 2 ec2:CreateVpc, 3 changes of sqs (4 s)." in plan_text(
        document
    )


def test_a_property_that_is_no_longer_declared_is_told_to_stay() -> None:
    change = {"path": "Delay", "before": 5, "after": None, "forces_replacement": False, "stays": True}
    operation = {
        "op": "modify",
        "logical_id": "Jobs",
        "type": "AWS::SQS::Queue",
        "id": "jobs",
        "reason": "update",
        "changes": [change],
    }
    text = operations_text([operation])
    assert "Delay: 5 stays: it is no longer declared, and held no longer" in text
    assert "(none)" not in text
