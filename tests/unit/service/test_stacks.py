"""The import of a stack, against a book of stacks that is written by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

import pytest
from front import Front, RememberingConductor, submission
from ruamel.yaml import YAML

from tenuto.cli.compositions.stack_texts import report
from tenuto.errors import CompileError, NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import JsonMap, LogicalId, Partition, PhysicalId, TypeName
from tenuto.model.resource import ManagedObject, Move, ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.model.stack import ChangeSet, Stack, StackChange, StackExport, StackResource
from tenuto.ports.store_changes import SaveObject
from tenuto.service.existing.stack_problems import not_settled
from tenuto.service.existing.stack_views import stack_document
from tenuto.service.existing.stacks import Stacks

HOME = Partition(account="default", region="eu-west-1")
TEMPLATE = """\
Parameters:
  Label: {Type: String}
  Secret: {Type: String, NoEcho: true}
Resources:
  Net:  # the net
    Type: Simulated::Network
    Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Label}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
"""


def yaml_text(document: JsonMap) -> str:
    written = StringIO()
    YAML().dump(document, written)
    return written.getvalue()


def resource(name: str, type_name: str, given_id: str) -> StackResource:
    return StackResource(
        logical_id=LogicalId(name), type=TypeName(type_name), given_id=given_id, status="CREATE_COMPLETE"
    )


STACK = Stack(
    stack_id="arn:stack/shop/1",
    name="shop",
    status="CREATE_COMPLETE",
    template=TEMPLATE,
    parameters={"Label": "main"},
    hidden=frozenset({"Secret"}),
    resources=(
        resource("Net", "Simulated::Network", "net-1"),
        resource("Sub", "Simulated::Subnet", "made-up-name"),
    ),
)
MARKED = StackChange(
    logical_id=LogicalId("Net"), action="Modify", replaces=False, scope=frozenset({"DeletionPolicy", "Metadata"})
)
ONLY_MARKS = ChangeSet(name="", status="CREATE_COMPLETE", execution="AVAILABLE", changes=(MARKED,))

REMOVALS = replace(ONLY_MARKS, changes=(replace(MARKED, action="Remove"),))


@dataclass
class Book:
    """Implements `ports.stacks.StackBook` from one value, and remembers what it was asked to do."""

    found: Stack | None = STACK
    sets: dict[str, ChangeSet] = field(default_factory=dict)
    next_set: ChangeSet = ONLY_MARKS
    asked: list[str] = field(default_factory=list)
    looked_up: list[tuple[str, JsonMap]] = field(default_factory=list)
    template: str = ""
    kept: Sequence[str] = ()
    derived: PhysicalId | None = None

    def stack(self, partition: Partition, name: str) -> Stack | None:
        return self.found

    def is_known_by_given_id(self, type_name: TypeName) -> bool:
        return type_name != "Simulated::Subnet"

    def derive(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        return self.derived

    def identify(
        self, partition: Partition, type_name: TypeName, given_id: str, properties: JsonMap
    ) -> PhysicalId | None:
        self.looked_up.append((type_name, properties))
        return PhysicalId("sub-1")

    def change_set(self, partition: Partition, stack_id: str, name: str) -> ChangeSet | None:
        return self.sets.get(name)

    def make_change_set(
        self, partition: Partition, stack: Stack, name: str, template: str, *, kept: Sequence[str]
    ) -> None:
        self.asked.append("make")
        self.kept = kept
        self.template = template
        self.sets[name] = replace(self.next_set, name=name)

    def drop_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        self.asked.append("drop")

    def execute_change_set(self, partition: Partition, stack_id: str, name: str) -> None:
        self.asked.append("execute")
        assert self.found is not None
        self.found = replace(self.found, template=self.template, status="UPDATE_COMPLETE")

    def delete_stack(self, partition: Partition, stack_id: str, *, role: str | None) -> None:
        self.asked.append(f"delete with {role}")
        self.found = None


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def front() -> Front:
    return Front()


def stacks(front: Front, book: Book) -> Stacks:
    return Stacks(store=front.store, conductor=front.conductor, books={"simulated": book})


def hold_all(front: Front) -> None:
    """A process that holds both resources of the stack."""
    process = front.commands.run(submission(), alias="shop")
    front.add_object(process, "Net", physical_id=PhysicalId("net-1"))
    front.add_object(process, "Sub", type=TypeName("Simulated::Subnet"), physical_id=PhysicalId("sub-1"))


def test_the_template_keeps_its_comments_and_gains_the_ids(front: Front, book: Book) -> None:
    found = stack_document(stacks(front, book).describe("shop", HOME))
    assert "# the net" in found["template"]
    assert "ResourceIdentifier: net-1" in found["template"]
    assert "ResourceIdentifier: sub-1" in found["template"]
    assert found["hidden"] == ["Secret"]


@pytest.mark.parametrize(
    "said",
    ["!Ref AWS::StackId", "!Sub 'of-${AWS::StackId}'", "{'Fn::Join': ['', [a, {Ref: 'AWS::StackId'}]]}", "!Ref Label"],
)
def test_resources_whose_properties_hold_the_id_of_the_stack_are_named(front: Front, book: Book, said: str) -> None:
    template = TEMPLATE.replace("!Ref Label", said)
    outputs = "Outputs: {Id: {Value: !Ref AWS::StackId}}\n"
    book.found = replace(STACK, template=template + outputs)
    found = stack_document(stacks(front, book).describe("shop", HOME))
    is_said = "StackId" in said
    assert found["saying_id"] == (["Net"] if is_said else [])
    told = " ".join(report(found, Path("shop.yaml")).split())
    assert ("`AWS::StackId` stands in the properties of Net." in told) is is_said
    assert ("write `arn:stack/shop/1` in its place, or remove it." in told) is is_said


def test_a_made_up_name_is_looked_up_by_what_is_declared_of_it(front: Front, book: Book) -> None:
    stacks(front, book).describe("shop", HOME)
    assert book.looked_up == [("Simulated::Subnet", {"NetworkId": "net-1", "CidrBlock": "10.0.1.0/24"})]


def test_an_id_that_follows_from_what_is_declared_is_believed_when_a_sweep_shows_it(
    front: Front, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.derived = PhysicalId("net-1|sub-1")
    assert "ResourceIdentifier: net-1|sub-1" in stacks(front, book).describe("shop", HOME).template
    assert book.looked_up == []

    shown = front.conductor.existing

    def nothing(partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        return tuple(replace(one, item=None) for one in shown(partition, wanted))

    monkeypatch.setattr(front.conductor, "existing", nothing)
    problems = {one.logical_id: one.problem for one in stacks(front, book).describe("shop", HOME).problems}
    assert problems["Sub"] == "no Simulated::Subnet was found for it; the stack shows made-up-name"


@pytest.mark.parametrize(
    ("type_name", "told"),
    [
        ("AWS::CloudFormation::Stack", "a nested stack"),
        ("Custom::Seed", "a custom resource"),
        ("AWS::CloudFormation::CustomResource", "a custom resource"),
        ("Acme::Thing::Thing", "Tenuto does not manage Acme::Thing::Thing"),
    ],
)
def test_what_cannot_be_taken_over_says_why(front: Front, book: Book, type_name: str, told: str) -> None:
    template = f"{TEMPLATE}  More: {{Type: '{type_name}'}}\n"
    book.found = replace(STACK, template=template, resources=(*STACK.resources, resource("More", type_name, "m-1")))
    [problem] = stacks(front, book).describe("shop", HOME).problems
    assert (problem.logical_id, told in problem.problem) == ("More", True)


def test_a_nested_stack_is_told_by_its_name_with_the_way_to_import_the_one_around_it(front: Front, book: Book) -> None:
    nested = "AWS::CloudFormation::Stack"
    arn = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop-More-1X2Y/0a1b"
    template = f"{TEMPLATE}  More: {{Type: '{nested}'}}\n"
    book.found = replace(STACK, template=template, resources=(*STACK.resources, resource("More", nested, arn)))
    [problem] = stacks(front, book).describe("shop", HOME).problems
    assert problem.problem == (
        "a nested stack; import shop-More-1X2Y by its own name. For this stack, first update it with "
        "'DeletionPolicy: Retain' at More, and then without More"
    )


def test_what_describes_the_stack_alone_is_left_out(front: Front, book: Book) -> None:
    extra = "  CDKMetadata: {Type: 'AWS::CDK::Metadata', Condition: CDKMetadataAvailable}\n"
    condition = "Conditions:\n  CDKMetadataAvailable: !Equals [!Ref 'AWS::Region', eu-west-1]\n"
    cdk = resource("CDKMetadata", "AWS::CDK::Metadata", "made-up")
    book.found = replace(STACK, template=f"{TEMPLATE}{extra}{condition}", resources=(*STACK.resources, cdk))
    found = stack_document(stacks(front, book).describe("shop", HOME))
    assert "CDKMetadata" not in found["template"]
    assert [one["logical_id"] for one in found["resources"]] == ["Net", "Sub"]


@pytest.mark.parametrize("is_json", [False, True])
def test_what_aws_has_taken_is_accepted_where_it_stands(
    front: Front, book: Book, monkeypatch: pytest.MonkeyPatch, is_json: bool
) -> None:
    """A stack with a runtime that is newer than the release could not be imported at all."""
    function = {
        "Type": "AWS::Lambda::Function",
        "Metadata": {"Of": "the team"},
        "Properties": {
            "Role": "arn:aws:iam::123456789012:role/run",
            "Code": {"ZipFile": "x"},
            "Handler": "a.b",
            "Runtime": "python9.99",
            "MemorySize": 99999,
        },
    }
    plain = {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 1}}
    resources = {"CDKMetadata": {"Type": "AWS::CDK::Metadata"}, "Run": function, "Wait": plain}
    text = json.dumps({"Resources": resources}) if is_json else yaml_text({"Resources": resources})
    listed = tuple(resource(name, str(one["Type"]), name.lower()) for name, one in resources.items())
    book.found = replace(STACK, template=text, parameters={}, hidden=frozenset(), resources=listed)
    names = ("AWS::Lambda::Function", "AWS::SQS::Queue")
    known = {TypeName(one): ResourceType(name=TypeName(one), provider="simulated", source=one) for one in names}
    monkeypatch.setattr(front.conductor, "types", lambda provider=None: known)
    written = YAML(typ="safe").load(stacks(front, book).describe("shop", HOME).template)["Resources"]
    assert written["Run"]["Metadata"] == {
        "Of": "the team",
        "Tenuto": {"ResourceIdentifier": "run", "accept": ["T507", "T509"]},
    }
    assert written["Wait"]["Metadata"] == {"Tenuto": {"ResourceIdentifier": "wait"}}


def test_a_stack_goes_in_steps_that_may_be_repeated(front: Front, book: Book) -> None:
    hold_all(front)
    service = stacks(front, book)
    waits = [service.retain("shop", HOME) for _ in range(3)]
    assert waits == ["the change set is made", "the change set is executed", ""]
    assert book.template.count("DeletionPolicy: Retain") == 2
    assert book.template.count("UpdateReplacePolicy: Retain") == 2
    assert service.delete("shop", HOME, role="arn:role") == "the stack is being deleted"
    assert service.delete("shop", HOME) == ""
    assert book.asked == ["make", "execute", "delete with arn:role"]


def test_a_change_set_keeps_the_parameters_that_its_template_declares_and_gives_no_other(
    front: Front, book: Book
) -> None:
    """A shell declares none, and CloudFormation refuses a change set with parameters that its template lacks."""
    hold_all(front)
    service = stacks(front, book)
    while service.retain("shop", HOME):
        pass
    assert book.kept == ("Label", "Secret")
    book.next_set = REMOVALS
    while service.empty("shop", HOME):
        pass
    assert book.kept == ()


def emptied(front: Front, book: Book) -> Stacks:
    """The stack, as a shell that lists its handle."""
    hold_all(front)
    service = stacks(front, book)
    for step, changes in ((service.retain, ONLY_MARKS), (service.empty, REMOVALS)):
        book.next_set = changes
        while step("shop", HOME):
            pass
    assert book.found is not None
    handle = resource("TenutoShell", "AWS::CloudFormation::WaitConditionHandle", "https://wait")
    exports = (StackExport(name="net", value="net-1"),)
    book.found = replace(book.found, resources=(handle,), exports=exports, parameters={}, hidden=frozenset())
    book.asked.clear()
    return service


def test_a_shell_is_one_already_and_is_deleted_when_it_is_not_needed_any_more(front: Front, book: Book) -> None:
    service = emptied(front, book)
    view = service.describe("shop", HOME)
    assert (view.is_shell, view.members, view.not_retained) == (True, (), ())
    assert "is a shell that holds nothing but its exports" in view.problem
    assert service.empty("shop", HOME) == ""
    assert book.asked == []
    assert service.delete("shop", HOME) == "the stack is being deleted"
    assert service.delete("shop", HOME) == ""


def test_a_shell_stays_while_others_import_from_it(front: Front, book: Book) -> None:
    service = emptied(front, book)
    assert book.found is not None
    book.found = replace(book.found, exports=(StackExport(name="net", value="net-1", importers=("app",)),))
    with pytest.raises(NotAllowedError, match=r"Import those first\. Nothing was changed"):
        service.delete("shop", HOME)
    assert book.asked == []


def test_a_stack_that_names_a_shell_among_its_resources_is_none(front: Front, book: Book) -> None:
    resources = {"TenutoShell": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.0.0.0/16"}}}
    more = {"Net": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16"}}}
    book.found = replace(STACK, template=json.dumps({"Resources": resources | more}), parameters={}, hidden=frozenset())
    assert not stacks(front, book).describe("shop", HOME).is_shell


@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "DELETE_IN_PROGRESS"])
def test_a_stack_in_motion_cannot_be_taken_over(front: Front, book: Book, status: str) -> None:
    book.found = replace(STACK, status=status)
    problem = stack_document(stacks(front, book).describe("shop", HOME))["problem"]
    assert f"shop is {status}. Wait until CloudFormation has brought it to rest" in problem


def test_a_stack_without_a_template_is_nothing_but_a_change_set(front: Front, book: Book) -> None:
    book.found = replace(STACK, status="REVIEW_IN_PROGRESS", template="", resources=())
    view = stacks(front, book).describe("shop", HOME)
    assert "Execute the change set, or delete the stack" in view.problem


def test_a_stack_without_resources_says_so(front: Front, book: Book) -> None:
    template = "Resources:\n  CDKMetadata: {Type: 'AWS::CDK::Metadata'}\n"
    book.found = replace(STACK, template=template, parameters={}, hidden=frozenset(), resources=())
    assert "has no resource" in stacks(front, book).describe("shop", HOME).problem


def test_rows_that_tell_no_resource_are_no_members(front: Front, book: Book) -> None:
    """A condition that is false leaves a row without a name or a type, where a stack is emulated."""
    left = replace(resource("Old", "Simulated::Network", "net-0"), status="DELETE_SKIPPED")
    book.found = replace(STACK, resources=(*STACK.resources, resource("", "", ""), left))
    view = stacks(front, book).describe("shop", HOME)
    assert ([one.logical_id for one in view.members], view.problems) == (["Net", "Sub"], ())


def test_a_row_that_the_template_lacks_is_in_the_way(front: Front, book: Book) -> None:
    left = replace(resource("Old", "Simulated::Network", "net-0"), status="DELETE_FAILED")
    book.found = replace(STACK, resources=(*STACK.resources, left))
    [problem] = stacks(front, book).describe("shop", HOME).problems
    assert "DELETE_FAILED, and not in the template of the stack any more" in problem.problem


def test_a_template_that_does_not_compile_is_told_with_the_places_that_it_has_in_the_stack(
    front: Front, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stack is compiled with metadata that accept the decisions of AWS, and they would move every line below."""
    template = (
        "Resources:\n  Run: {Type: AWS::Lambda::Function, Properties: {Runtime: python9.99}}\n"
        "  Wait:\n    Type: AWS::SQS::Queue\n    Properties:\n      DelaySecond: 1\n"
    )
    names = ("AWS::Lambda::Function", "AWS::SQS::Queue")
    known = {TypeName(one): ResourceType(name=TypeName(one), provider="simulated", source=one) for one in names}
    monkeypatch.setattr(front.conductor, "types", lambda provider=None: known)
    listed = (resource("Run", names[0], "run"), resource("Wait", names[1], "wait"))
    book.found = replace(STACK, template=template, parameters={}, hidden=frozenset(), resources=listed)
    with pytest.raises(CompileError) as failed:
        stacks(front, book).describe("shop", HOME)
    found = [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]
    assert not [one for one in found if "python9.99" in one.detail]
    assert [(one.position.line, one.source_line) for one in found if one.position and "DelaySecond" in one.detail] == [
        (6, "      DelaySecond: 1")
    ]


def test_a_stack_that_is_not_there_may_have_been_let_go(front: Front, book: Book) -> None:
    book.found = None
    with pytest.raises(NotFoundError, match="If it was let go, it is gone, and 'tenuto status PROCESS'"):
        stacks(front, book).describe("shop", HOME)
    front.commands.run(submission(), alias="shop")
    with pytest.raises(NotFoundError, match="'tenuto status shop' shows the resources of the process shop"):
        stacks(front, book).describe("shop", HOME)


def test_nothing_is_deleted_that_is_not_retained(front: Front, book: Book) -> None:
    hold_all(front)
    with pytest.raises(NotAllowedError, match="would delete Net, Sub"):
        stacks(front, book).delete("shop", HOME)
    assert book.asked == []


def test_nothing_is_let_go_that_no_process_holds(front: Front, book: Book) -> None:
    for act in (stacks(front, book).retain, stacks(front, book).delete, stacks(front, book).empty):
        with pytest.raises(NotAllowedError, match="No process of Tenuto holds Net, Sub"):
            act("shop", HOME)
    assert book.asked == []


@dataclass
class _Plain(Book):
    """The book of a tool that shows every id as the provider does."""

    def is_known_by_given_id(self, type_name: TypeName) -> bool:
        return True


@dataclass
class _WithoutNet(RememberingConductor):
    """An account in which the network of the stack was deleted by hand."""

    def existing(self, partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        found = super().existing(partition, wanted)
        return tuple(replace(one, item=None) if one.physical_id == "net-1" else one for one in found)


def ended(front: Front, held: ManagedObject) -> None:
    """Let an incarnation end, as that of a thing that was found gone."""
    gone = replace(held, state=ResourceState.TERMINATED, target=ResourceState.TERMINATED)
    move = Move(before=held.state, after=gone.state, at=front.clock.now(), actor="test", reason="gone")
    front.store.commit((SaveObject(object=gone, expected_generation=held.generation, moves=(move,)),))


@pytest.mark.parametrize(
    ("holds_another", "held_it", "is_let_go"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_a_member_that_its_process_made_anew_is_the_new_thing(
    front: Front, holds_another: bool, held_it: bool, is_let_go: bool
) -> None:
    """The stack shows the id of a thing that is gone: no process holds that, and none can adopt it."""
    net, sub = STACK.resources[0], resource("Sub", "Simulated::Subnet", "sub-1")
    book = _Plain(found=replace(STACK, resources=(net, sub) if holds_another else (net,)))
    process = front.commands.run(submission(), alias="shop")
    if held_it:
        ended(front, front.add_object(process, "Net", physical_id=PhysicalId("net-1")))
    front.add_object(process, "Net", physical_id=PhysicalId("net-2"), incarnation=2)
    if holds_another:
        front.add_object(process, "Sub", type=TypeName("Simulated::Subnet"), physical_id=PhysicalId("sub-1"))
    service = Stacks(store=front.store, conductor=_WithoutNet(), books={"simulated": book})
    view = service.describe("shop", HOME)
    if is_let_go:
        assert (view.members[0].physical_id, view.holders[LogicalId("Net")]) == ("net-2", "shop")
        while service.retain("shop", HOME):
            pass
        assert book.asked == ["make", "execute"]
    else:
        assert view.members[0].problem == "no Simulated::Network was found for it; the stack shows net-1"
        with pytest.raises(NotAllowedError, match="No process of Tenuto holds Net"):
            service.retain("shop", HOME)


def test_a_member_that_must_be_looked_up_is_looked_up_by_the_new_thing(front: Front, book: Book) -> None:
    process = front.commands.run(submission(), alias="shop")
    ended(front, front.add_object(process, "Net", physical_id=PhysicalId("net-1")))
    front.add_object(process, "Net", physical_id=PhysicalId("net-2"), incarnation=2)
    Stacks(store=front.store, conductor=_WithoutNet(), books={"simulated": book}).describe("shop", HOME)
    assert [known["NetworkId"] for _, known in book.looked_up] == ["net-2"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (replace(MARKED, scope=frozenset({"Properties", "Metadata"})), "Net: Properties"),
        (replace(MARKED, scope=None), "no word on what is changed"),
        (replace(MARKED, replaces=True), "a replacement"),
        (replace(MARKED, replaces=None), "no word on whether it is replaced"),
        (replace(MARKED, action="Remove"), "Net: Remove"),
    ],
)
def test_a_change_set_that_does_more_is_dropped(front: Front, book: Book, change: StackChange, told: str) -> None:
    hold_all(front)
    book.next_set = replace(book.next_set, changes=(change,))
    service = stacks(front, book)
    service.retain("shop", HOME)
    with pytest.raises(NotAllowedError, match=told):
        service.retain("shop", HOME)
    assert book.asked == ["make", "drop"]


def test_exports_in_use_and_protection_keep_the_stack(front: Front, book: Book) -> None:
    hold_all(front)
    service = stacks(front, book)
    while service.retain("shop", HOME):
        pass
    assert book.found is not None
    retained = book.found
    book.found = replace(retained, exports=(StackExport(name="net", value="net-1", importers=("app",)),))
    with pytest.raises(NotAllowedError, match=r"net \(imported by app\)"):
        service.delete("shop", HOME)
    book.found = replace(retained, is_protected=True)
    with pytest.raises(NotAllowedError, match="Termination protection"):
        service.delete("shop", HOME)
    assert "delete with None" not in book.asked


def test_a_stack_in_motion_is_left_alone(front: Front, book: Book) -> None:
    hold_all(front)
    book.found = replace(STACK, status="UPDATE_IN_PROGRESS")
    assert stacks(front, book).retain("shop", HOME) == "the stack is UPDATE_IN_PROGRESS"
    book.found = replace(STACK, status="ROLLBACK_FAILED")
    with pytest.raises(NotAllowedError, match=r"ROLLBACK_FAILED.*delete it with '--retain-resources'"):
        stacks(front, book).retain("shop", HOME)
    assert book.asked == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [([], "Nothing was named"), (["net-1"], "must be 'TYPE ID'"), (["Simulated::Nett net-1"], "does not manage")],
)
def test_things_that_cannot_be_looked_for_are_refused(front: Front, book: Book, wanted: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        stacks(front, book).missing(wanted, HOME)


@pytest.mark.parametrize(
    ("status", "way"),
    [
        ("UPDATE_ROLLBACK_FAILED", "'aws cloudformation continue-update-rollback --stack-name shop'"),
        ("UPDATE_FAILED", "'aws cloudformation rollback-stack --stack-name shop'"),
        ("UPDATE_IN_PROGRESS", "Wait until CloudFormation has brought it to rest"),
    ],
)
def test_a_stack_that_failed_is_told_its_way_back_and_not_to_wait(status: str, way: str) -> None:
    told = not_settled(replace(STACK, status=status, reason="Net cannot be changed."))
    assert way in told
    assert "(Net cannot be changed)." in told


@pytest.mark.parametrize(
    "status", ["UPDATE_ROLLBACK_FAILED", "ROLLBACK_COMPLETE", "DELETE_FAILED", "CREATE_FAILED", "UPDATE_COMPLETE"]
)
def test_the_report_says_which_stack_cannot_be_let_go_as_it_is(front: Front, book: Book, status: str) -> None:
    """It may be adopted in that state, and the step after that was refused."""
    book.found = replace(STACK, status=status)
    told = " ".join(report(stack_document(stacks(front, book).describe("shop", HOME)), Path("shop.yaml")).split())
    is_refused = f"--let-go Tenuto refuses that now. The stack shop is {status}." in told
    assert is_refused is (status != "UPDATE_COMPLETE")


def test_a_provider_without_stacks_says_so(front: Front) -> None:
    with pytest.raises(UserError, match="has no stacks"):
        Stacks(store=front.store, conductor=front.conductor, books={}).describe("shop", HOME)


def test_a_condition_on_a_looked_up_value_is_decided_as_the_stack_was(front: Front, book: Book) -> None:
    template = TEMPLATE.replace("Resources:", "  Stage: {Type: AWS::SSM::Parameter::Value<String>}\nResources:")
    template = template.replace("Resources:", "Conditions: {IsTest: !Equals [!Ref Stage, test]}\nResources:")
    template = template.replace("Simulated::Subnet,", "Simulated::Subnet, Condition: IsTest,")
    parameters = {**STACK.parameters, "Stage": "/stage"}
    book.found = replace(STACK, template=template, parameters=parameters, looked_up={"/stage": "test"})
    view = stacks(front, book).describe("shop", HOME)
    assert [one.logical_id for one in view.members if not one.problem] == ["Net", "Sub"]
    assert book.looked_up == [("Simulated::Subnet", {"NetworkId": "net-1", "CidrBlock": "10.0.1.0/24"})]
