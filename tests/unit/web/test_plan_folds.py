"""Plans of hundreds of operations on a page: a line for each verb and type, and every operation behind it."""

import re
from typing import Any

from browser import Browser
from desk import Desk
from hypothesis import given
from hypothesis import strategies as st

from tenuto.web.folds import FEW, MOST, PART, folded

GROUPS = 130


def groups(count: int) -> list[str]:
    net = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}"
    bucket = "  Bkt: {Type: Simulated::Bucket, Properties: {Name: logs}}"
    one = (
        "  Grp{n:03}: {{Type: Simulated::Group,"
        " Properties: {{NetworkId: !Ref Net, Ingress: [{{Protocol: tcp, Port: {n}}}]}}}}"
    )
    return [net, bucket, *(one.format(n=number) for number in range(1, count + 1))]


def operation(number: int, verb: str, type_name: str) -> dict[str, Any]:
    return {"op": verb, "type": type_name, "logical_id": f"L{number}", "destructive": verb == "delete"}


KINDS = st.tuples(st.sampled_from(("create", "delete", "modify")), st.sampled_from(("A", "B", "C")))


@given(st.lists(KINDS, max_size=MOST + 100))
def test_a_fold_counts_all_and_keeps_the_order(kinds: list[tuple[str, str]]) -> None:
    operations = [operation(number, *kind) for number, kind in enumerate(kinds)]
    folds = folded(operations)
    if len(operations) <= FEW:
        assert folds == ()
        return
    assert sum(fold.count for fold in folds) == len(operations)
    shown = [one for fold in folds for part in fold.parts for one in part.operations]
    assert len(shown) == min(len(operations), MOST)
    assert len(shown) + sum(fold.left_out for fold in folds) == len(operations)
    assert [(fold.verb, fold.type) for fold in folds] == list(dict.fromkeys(kinds))
    for fold in folds:
        numbers = [int(one["logical_id"][1:]) for part in fold.parts for one in part.operations]
        assert numbers == sorted(numbers)
        assert all(1 <= len(part.operations) <= PART for part in fold.parts)
        assert fold.is_destructive == (fold.verb == "delete")


def test_a_kill_of_many_is_a_line_for_each_type_with_what_loses_data_first(desk: Desk, browser: Browser) -> None:
    desk.runs(*groups(GROUPS))
    shown = browser.get("/processes/web/kill")
    assert re.findall(
        r"<summary><span class=\"verb\">. DELETE</span> <strong>([\d,]+)</strong> ([\w:]+)", shown.text
    ) == [(str(GROUPS), "Simulated::Group")]
    assert "Data goes with 1 of them: Bkt" in shown.words
    assert "Grp001, Grp002, Grp003 and 127 more" in shown.words
    assert "<summary>Grp051 … Grp100</summary>" in shown.text
    assert all(f"Grp{number:03}</a>" in shown.text for number in range(1, GROUPS + 1))
    assert "<details open" not in shown.text, "600 rows above the button would hide it"
    assert (
        shown.words.index("Data goes with") < shown.words.index("DELETE 130") < shown.words.index("Type web to confirm")
    )


def test_a_plan_of_few_is_rows(desk: Desk, browser: Browser) -> None:
    desk.runs(*groups(8))
    shown = browser.get("/processes/web/kill")
    assert 'class="operation fold' not in shown.text
    assert shown.text.count('<li class="operation op-delete">') == 10


def test_a_plan_that_loses_data_says_so_before_its_operations(desk: Desk, browser: Browser) -> None:
    desk.runs(*groups(1))
    desk.does("suspend", "web")
    desk.does("update", "web", desk.template(*groups(1)[:1], name="less"))
    shown = browser.get("/processes/web/plan")
    assert "Data goes with 1 of them: Bkt" in shown.words
    assert "Creates and changes" not in shown.words
