"""Secrets that a composition makes, and reads by their names: made before what reads them, and looked up no more."""

from tenuto.compositions.compile import compile_text
from tenuto.model.composition import Composition

SECRET = '  Own: {Type: AWS::SecretsManager::Secret, Properties: {Name: own, SecretString: \'{"a": "b"}\'%s}}\n'
READ = "{{resolve:secretsmanager:own:SecretString:a}}"


def compiled(resources: str) -> Composition:
    return compile_text(f"Resources:\n{resources}", file="t.yaml", parameters={}, region="us-east-1").composition


def test_a_secret_of_the_composition_is_read_from_it_by_its_literal_name() -> None:
    reader = f"  Reader: {{Type: AWS::SSM::Parameter, Properties: {{Type: String, Value: 'x {READ}'}}}}\n"
    found = compiled(SECRET % "" + reader)
    [_, read] = found.resources
    assert found.parameters == {}
    assert read.depends_on == ("Own",)
    kept = {"Tenuto::Secret": {"Fn::Join": ["", ["resolve:secretsmanager:", {"Ref": "Own"}, ":SecretString:a"]]}}
    assert read.properties["Value"] == {"Fn::Join": ["", ["x ", kept]]}


def test_the_secret_of_another_owner_is_looked_up() -> None:
    reader = (
        "  Reader: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: '{{resolve:secretsmanager:other}}'}}\n"
    )
    found = compiled(SECRET % "" + reader)
    assert [one.depends_on for one in found.resources] == [(), ()]
    assert list(found.parameters) == ["resolve:secretsmanager:other"]


def test_what_a_secret_is_built_on_looks_it_up_since_it_cannot_come_after_it() -> None:
    before = f"  Before: {{Type: AWS::SSM::Parameter, Properties: {{Type: String, Value: '{READ}'}}}}\n"
    found = compiled(SECRET % ", Description: !Ref Before" + before)
    assert [(one.logical_id, one.depends_on) for one in found.resources] == [("Before", ()), ("Own", ("Before",))]
    assert list(found.parameters) == [READ.strip("{}")]


def test_two_secrets_that_name_each_other_make_no_circle() -> None:
    other = f"  Two: {{Type: AWS::SecretsManager::Secret, Properties: {{Name: two, SecretString: '{READ}'}}}}\n"
    found = compiled(SECRET % ", Description: '{{resolve:secretsmanager:two}}'" + other)
    assert [(one.logical_id, one.depends_on) for one in found.resources] == [("Own", ("Two",)), ("Two", ())]
    assert list(found.parameters) == [READ.strip("{}")]
