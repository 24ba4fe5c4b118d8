"""Stacks of another tool: the import of one, and how it is let go once a process holds all of its resources.

Theory of operation. An import reads (`stack_members`). So `import` shows the stack as the tool tells it, `run --import
--only-adopt` proves that it is true, and until the stack is deleted both describe the same things.

Letting go has two halves, and each step of them may be repeated after a crash, because each is decided by the present
state of the stack. First every resource is marked as retained, by a change set that is read before it is executed: were
there any change but those marks, or a replacement, nothing would be executed. Then, on another command, the stack is
deleted, when its template as it is *read back* retains every resource and a process holds each of them.

A stack whose exports are in use becomes a shell, which has no members: it is kept without a further step, and deleted
like any other stack.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

from tenuto.compositions.cloudformation import stack_template
from tenuto.core.access.accounts import check_region
from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import ProcessState
from tenuto.model.ids import LogicalId, Partition, PhysicalId
from tenuto.model.stack import ChangeSet, Member, Stack
from tenuto.ports.conductor import Conductor
from tenuto.ports.stacks import StackBook
from tenuto.ports.store import Store
from tenuto.service.accounts.accounts import known_account
from tenuto.service.existing.described import named_things
from tenuto.service.existing.stack_changes import check_marks, check_removals
from tenuto.service.existing.stack_members import StackMembers
from tenuto.service.existing.stack_problems import SETTLED, is_moving, missing_stack, not_settled, problem_of
from tenuto.service.existing.stack_views import StackView

_LARGEST_TEMPLATE_BYTES = 51_200
"""The limit of CloudFormation for a template that is sent with the call."""
_KEEP = "Import those first, or keep the stack as a shell with --keep-exports"


class Stacks:
    """Every method raises NotFoundError, NotAllowedError, UserError, CompileError and ProviderError."""

    def __init__(self, *, store: Store, conductor: Conductor, books: Mapping[str, StackBook]) -> None:
        self._store = store
        self._conductor = conductor
        self._books = books
        self._members = StackMembers(store=store, conductor=conductor)

    def describe(self, name: str, partition: Partition) -> StackView:
        """Read a stack, and find each of its resources in the account. Changes nothing."""
        partition, book = self._place(partition)
        stack = book.stack(partition, name)
        if stack is None:
            raise NotFoundError(missing_stack(name, partition, self._store.process(name)))
        return self._view(stack, partition, book)

    def missing(self, wanted: Sequence[str], partition: Partition) -> tuple[PhysicalId, ...]:
        """The things of these, said as `TYPE ID`, that a fresh sweep does not show."""
        pairs = named_things(wanted, self._conductor.types())
        found = self._conductor.existing(partition, sorted(pairs, key=lambda pair: pair[1]))
        return tuple(one.physical_id for one in found if one.item is None and not one.unread)

    def retain(self, stack_id: str, partition: Partition) -> str:
        """Take the next step on the way to a stack that retains every resource. Returns the text about the change that
        is awaited, empty when the stack retains all. Safe to call again."""
        partition, book = self._place(partition)
        view = self.describe(stack_id, partition)
        self._check_held(view)
        if not view.not_retained:
            return ""
        stack = view.stack
        template = stack_template.retaining(stack.template, _digest(stack.template))
        return self._stepped(book, view, "tenuto-let-go", template, check_marks)

    def empty(self, stack_id: str, partition: Partition) -> str:
        """Take the next step on the way to a shell: a stack that has its exports, and no resource of the account."""
        partition, book = self._place(partition)
        found = book.stack(partition, stack_id)
        if found is not None and stack_template.is_shell(found.template) and found.status in SETTLED:
            return ""
        view = self.describe(stack_id, partition)
        self._check_held(view)
        self._check_retained(view)
        return self._stepped(book, view, "tenuto-shell", stack_template.shell(view.stack.outputs), check_removals)

    def delete(self, stack_id: str, partition: Partition, *, role: str | None = None) -> str:
        """Delete a stack that retains every resource; its resources stay, and a process holds them. Returns the text
        about the change that is awaited, empty when the stack is gone. Safe to call again with the id of the stack."""
        partition, book = self._place(partition)
        found = book.stack(partition, stack_id)
        if found is None:
            return ""
        if found.status == "DELETE_IN_PROGRESS":
            return "the stack is being deleted"
        view = self._view(found, partition, book)
        self._check_held(view)
        self._check_retained(view)
        used = [f"{one.name} (imported by {', '.join(one.importers)})" for one in view.stack.exports if one.importers]
        if used:
            advice = "Import those first" if view.is_shell else _KEEP
            raise NotAllowedError(
                f"Other stacks import from {view.stack.name}: {'; '.join(used)}. {advice}. Nothing was changed."
            )
        if view.stack.is_protected:
            raise NotAllowedError(
                f"Termination protection is on for the stack {view.stack.name}. Turn it off, and try again. Nothing "
                "was changed."
            )
        book.delete_stack(partition, view.stack.stack_id, role=role)
        return "the stack is being deleted"

    def _view(self, stack: Stack, partition: Partition, book: StackBook) -> StackView:
        is_shell = stack_template.is_shell(stack.template)
        if is_shell or not stack.template:
            return StackView(
                stack=stack,
                partition=partition,
                template=stack.template,
                is_shell=is_shell,
                problem=problem_of(stack, is_shell=is_shell, is_bare=True),
            )
        members = self._members.of(stack, partition, book)
        tags = {one.logical_id: one.tags for one in members if one.tags is not None}
        tagged, untagged = stack_template.with_tags(stack.template, tags)
        return StackView(
            stack=stack,
            partition=partition,
            problem=problem_of(stack, is_shell=False, is_bare=not members),
            template=stack_template.identified(
                tagged,
                {one.logical_id: str(one.physical_id) for one in members if one.physical_id},
                {one.logical_id: one.accepted for one in members if one.accepted},
            ),
            members=members,
            untagged=untagged,
            saying_id=stack_template.saying_stack_id(stack.template),
            holders=self._holders(members, partition),
            not_retained=tuple(stack_template.not_retained(stack.template)),
        )

    def _holders(self, members: tuple[Member, ...], partition: Partition) -> dict[LogicalId, str]:
        """The process that holds each member, by name."""
        named = {(one.type, one.physical_id): one.logical_id for one in members}
        found: dict[LogicalId, str] = {}
        for kind in {one.type for one in members}:
            for one in self._store.tracked(partition, kind):
                name = named.get((kind, one.physical_id))
                if name is None or one.fid is None or has_ended(one):
                    continue
                process = self._store.process(one.fid)
                if process is not None and process.state in (ProcessState.RUNNING, ProcessState.SUSPENDED):
                    found[name] = process.alias or process.fid
        return found

    def _check_held(self, view: StackView) -> None:
        """Raise NotAllowedError unless a process holds every resource: any other would be left without a manager."""
        if view.stack.status not in SETTLED and not is_moving(view.stack):
            raise NotAllowedError(not_settled(view.stack))
        loose = [one.logical_id for one in view.members if one.logical_id not in view.holders]
        if loose:
            raise NotAllowedError(
                f"No process of Tenuto holds {', '.join(loose)} of the stack {view.stack.name}. Adopt them first: "
                f"'tenuto import --stack {view.stack.name} -o DIR', then the 'tenuto run' that it prints. Nothing was "
                "changed."
            )

    def _check_retained(self, view: StackView) -> None:
        if view.stack.status not in SETTLED:
            raise NotAllowedError(not_settled(view.stack))
        if view.not_retained:
            raise NotAllowedError(
                f"The stack {view.stack.name} would delete {', '.join(view.not_retained)}: these are not retained in "
                "its template. Nothing was changed."
            )

    def _stepped(
        self,
        book: StackBook,
        view: StackView,
        prefix: str,
        template: str,
        check: Callable[[Stack, ChangeSet], None],
    ) -> str:
        stack = view.stack
        if stack.status not in SETTLED:
            return f"the stack is {stack.status}"
        if len(template.encode()) > _LARGEST_TEMPLATE_BYTES:
            raise UserError(
                f"The template of {stack.name} has more than the {_LARGEST_TEMPLATE_BYTES:,} bytes that CloudFormation "
                "takes with a call. Set DeletionPolicy and UpdateReplacePolicy Retain on every resource by an update "
                "of your own, and give this command again."
            )
        name = f"{prefix}-{_digest(template)}"
        found = book.change_set(view.partition, stack.stack_id, name)
        if found is None:
            book.make_change_set(view.partition, stack, name, template, kept=_kept(stack, template))
            return "the change set is made"
        if found.status == "FAILED":
            book.drop_change_set(view.partition, stack.stack_id, name)
            raise NotAllowedError(f"CloudFormation refused the change set: {found.reason}. Nothing was changed.")
        if found.status != "CREATE_COMPLETE":
            return f"the change set is {found.status}"
        if found.execution == "AVAILABLE":
            try:
                check(stack, found)
            except NotAllowedError:
                book.drop_change_set(view.partition, stack.stack_id, name)
                raise
            book.execute_change_set(view.partition, stack.stack_id, name)
        return "the change set is executed"

    def _place(self, partition: Partition) -> tuple[Partition, StackBook]:
        check_region(partition.region)
        account = known_account(self._store, partition.account)
        provider = account.provider or next(iter(self._books), "")
        if provider not in self._books:
            raise UserError(
                f"The provider of the account {account.name} has no stacks. 'tenuto account list' lists the accounts; "
                "stacks are those of CloudFormation, in accounts of AWS."
            )
        return Partition(account=account.name, region=partition.region), self._books[provider]


def _kept(stack: Stack, template: str) -> tuple[str, ...]:
    """The parameters of the stack that a template of it declares: these keep their values, and no others are given."""
    declared = stack_template.names_in(template, stack_template.PARAMETERS)
    return tuple(sorted({*stack.parameters, *stack.hidden}.intersection(declared)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
