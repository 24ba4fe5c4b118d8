"""The story of the demonstration: a process is built, an outsider changes it, it is held, and it is taken down."""

import time
from importlib.resources import files

from tenuto.bootstrap.demo.telling import Say, Teller
from tenuto.bootstrap.system import System
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import TenutoError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid
from tenuto.providers.aws.demo import Outsider
from tenuto.service.commands.plan_view import plan_document
from tenuto.service.intake.composition import Submission
from tenuto.service.views.plan_text import plan_text, summary_text
from tenuto.service.views.process_view import is_converged

ALIAS = "shop"
REGION = "us-east-1"
GROUP = "Web"
"""The security group of the example that an outsider opens."""
SSH = 22


class Story(Teller):
    """The demo's story, told once. Every claim it makes is looked up in the account first; a false one raises
    TenutoError.
    """

    def __init__(self, system: System, outsider: Outsider, say: Say) -> None:
        super().__init__(system, say)
        self._outsider = outsider

    def tell(self) -> None:
        """Tell the story, from an empty account to an empty account. Raises TenutoError when anything is left at the
        end.
        """
        before = self._outsider.inventory()
        self._scene(f"The account holds {len(before)} things: what AWS itself puts into every account.")
        fid = self._build()
        made = self._outsider.inventory() - before
        self._scene(f"The account holds {len(made)} things more. Now a colleague opens SSH to the world, by hand:")
        self._open_ssh(fid)
        self._repair(fid)
        self._scene("What is not needed any more is taken down, in the order that its dependencies ask for:")
        self._kill(fid)
        after = self._outsider.inventory()
        if after != before:
            raise TenutoError(f"the account is not as it was before: {', '.join(sorted(after ^ before))}")
        self._scene(f"The account holds {len(after)} things, the same as before. The emulator and the store are gone.")
        self._scene("Next: 'tenuto demo --web' shows the dashboard, and 'tenuto init vpc' writes a composition.")

    def _build(self) -> Fid:
        text = files("tenuto").joinpath("examples/vpc.yaml").read_text(encoding="utf-8")
        compiled = compile_text(text, file="vpc.yaml", parameters={}, region=REGION)
        submission = Submission(document=to_document(compiled.composition), secrets=compiled.secrets)
        commands = self._system.commands
        self._typed(f"tenuto run vpc.yaml --alias {ALIAS} --dry-run")
        planned = commands.dry_runs.run(submission, alias=ALIAS, account=DEFAULT_ACCOUNT)
        self._tell(plan_text(plan_document(planned)))
        self._typed(f"tenuto run vpc.yaml --alias {ALIAS} --wait")
        fid = commands.run(submission, alias=ALIAS).fid
        self._watch(fid, is_converged)
        self._typed(f"tenuto status {ALIAS}")
        for found in self._system.store.objects(fid):
            self._tell(f"{found.logical_id:<20} {found.type:<38} {found.state:<8} {found.physical_id}")
        return fid

    def _open_ssh(self, fid: Fid) -> None:
        group_id = self._group_id(fid)
        opening = "--protocol tcp --port 22 --cidr 0.0.0.0/0"
        self._typed(f"aws ec2 authorize-security-group-ingress --group-id {group_id} {opening}")
        self._outsider.open_to_the_world(group_id, SSH)
        self._tell(f"{group_id} lets in: {', '.join(self._outsider.open_ports(group_id))}")

    def _repair(self, fid: Fid) -> None:
        """The next job finds the damage, tells its plan, and carries it out."""
        began = time.monotonic()
        self._until("the repair", lambda: self._repairs(fid))
        job = self._repairs(fid)[0]
        self._scene(f"The next job saw it and was done {time.monotonic() - began:.1f} s after that. Its plan:")
        assert job.plan_id is not None, "only jobs with a plan are repairs"
        self._tell(plan_text(self._system.queries.stored_plan(job.plan_id)))
        group_id = self._group_id(fid)
        ports = self._outsider.open_ports(group_id)
        if any(port.startswith(f"{SSH} ") for port in ports):
            raise TenutoError(f"{group_id} still lets in {SSH}: job {job.job_id} {job.status} {job.message}")
        self._scene("And the group as AWS shows it:")
        self._tell(f"{group_id} lets in: {', '.join(ports)}")
        self._typed(f"tenuto history {ALIAS}")
        for done in self._jobs(fid):
            self._tell(f"job {done.command:<8} {done.status.value:<10} {summary_text(done.plan_summary)}")

    def _kill(self, fid: Fid) -> None:
        self._typed(f"tenuto kill {ALIAS} --wait")
        self._system.commands.kill(ALIAS)
        self._watch(fid, lambda process: process.state is ProcessState.GONE)

    def _group_id(self, fid: Fid) -> str:
        return next(str(found.physical_id) for found in self._system.store.objects(fid) if found.logical_id == GROUP)
