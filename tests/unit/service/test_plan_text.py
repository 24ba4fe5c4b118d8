"""A plan in words."""

from tenuto.service.plan_text import plan_text


def test_calls_that_count_together_are_told_in_words() -> None:
    apis = [
        {"api": "ec2:CreateVpc", "calls": 2, "least_s": 0.1},
        {"api": "sqs:changes", "calls": 3, "least_s": 4.0},
    ]
    document = {"operations": [], "summary": {"create": 5}, "bill": {"calls": 5, "least_s": 4.0, "apis": apis}}
    assert "Calls: 5 to the provider, which take 4 s or more: 2 ec2:CreateVpc, 3 changes of sqs (4 s)." in plan_text(
        document
    )
