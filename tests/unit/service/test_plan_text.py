"""A plan in words."""

from tenuto.service.plan_text import operations_text, plan_text


def test_calls_that_count_together_are_told_in_words() -> None:
    apis = [
        {"api": "ec2:CreateVpc", "calls": 2, "least_s": 0.1},
        {"api": "sqs:changes", "calls": 3, "least_s": 4.0},
        {"api": "ssm:changes", "calls": 1, "least_s": 0.1},
    ]
    document = {"operations": [], "summary": {"create": 6}, "bill": {"calls": 6, "least_s": 4.0, "apis": apis}}
    told = "2 ec2:CreateVpc, 3 changes of sqs (4 s), 1 change of ssm."
    assert f"Calls: 6 to the provider, which take 4 s or more: {told}" in plan_text(document)


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
