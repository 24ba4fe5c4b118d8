"""DeletionPolicy and UpdateReplacePolicy, written as texts and as functions."""

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.composition import Declaration, DeletionPolicy

HEAD = """
Parameters:
  Stage: {Type: String, Default: test}
  Policy: {Type: String, Default: Retain}
Mappings:
  Policies: {test: {bucket: Delete}, production: {bucket: RetainExceptOnCreate}}
Conditions:
  IsProduction: !Equals [!Ref Stage, production]
Resources:
  Bucket:
    Type: AWS::S3::Bucket
"""


def declared(line: str, **parameters: str) -> Declaration:
    found = compile_text(f"{HEAD}    {line}\n", file="app.yaml", parameters=parameters, region="eu-west-1")
    return found.composition.resources[0]


@pytest.mark.parametrize(
    ("value", "in_test", "in_production"),
    [
        ("!If [IsProduction, Retain, Delete]", "Delete", "Retain"),
        ("!If [IsProduction, RetainExceptOnCreate, !Ref AWS::NoValue]", "Delete", "RetainExceptOnCreate"),
        ("!FindInMap [Policies, !Ref Stage, bucket]", "Delete", "RetainExceptOnCreate"),
        ("!Ref Policy", "Retain", "Retain"),
        ("!If [IsProduction, !Ref Policy, Delete]", "Delete", "Retain"),
    ],
)
def test_a_deletion_policy_may_be_a_function_of_what_is_known(value: str, in_test: str, in_production: str) -> None:
    line = f"DeletionPolicy: {value}"
    assert declared(line).deletion_policy == DeletionPolicy(in_test)
    assert declared(line, Stage="production").deletion_policy == DeletionPolicy(in_production)


def test_so_may_a_policy_for_replacement() -> None:
    line = "UpdateReplacePolicy: !If [IsProduction, Retain, Delete]"
    assert declared(line).replace_policy is DeletionPolicy.DELETE
    assert declared(line, Stage="production").replace_policy is DeletionPolicy.RETAIN


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("DeletionPolicy: !If [IsProduction, Retain, Dlete]", "T517"),
        ("DeletionPolicy: !If [IsProdution, Retain, Delete]", "T401"),
        ("DeletionPolicy: !If [IsProduction, Retain, Snapshot]", "T520"),
        ("DeletionPolicy: !Ref AWS::StackName", "T403"),
        ("DeletionPolicy: !Ref Polic", "T303"),
        ("UpdateReplacePolicy: !If [IsProduction, Retain, RetainExceptOnCreate]", "T517"),
    ],
)
def test_what_a_function_gives_must_be_a_policy(line: str, code: str) -> None:
    with pytest.raises(CompileError) as failed:
        declared(line)
    assert [one.code for one in failed.value.diagnostics] == [code]
