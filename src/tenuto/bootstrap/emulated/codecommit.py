"""Lists, changes, triggers and tags of CodeCommit."""

import json
from typing import Any

from moto.codecommit.responses import CodeCommitResponse

from tenuto.bootstrap.emulated.added import added


def _repository(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """The repository that a call is about, by its name or its ARN."""
    name = sent.get("repositoryName") or sent.get("oldName") or sent["resourceArn"].rpartition(":")[2]
    self.codecommit_backend.get_repository(name)
    found = self.codecommit_backend.repositories[name]
    for kept in ("tags", "triggers"):
        if not hasattr(found, kept):
            setattr(found, kept, {"tags": {}, "triggers": []}[kept])
    kept_of: dict[str, Any] = vars(found)
    return kept_of


_create_repository = CodeCommitResponse.create_repository


def _make_repository(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    answer = json.loads(_create_repository(self))
    found = _repository(self, sent)
    found["tags"] |= sent.get("tags") or {}
    if "kmsKeyId" in sent:
        found["repository_metadata"]["kmsKeyId"] = sent["kmsKeyId"]
    return {"repositoryMetadata": {**answer["repositoryMetadata"], **found["repository_metadata"]}}


def _describe(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _repository(self, sent)["repository_metadata"]["repositoryDescription"] = sent["repositoryDescription"]
    return {}


def _encrypt(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _repository(self, sent)["repository_metadata"]["kmsKeyId"] = sent["kmsKeyId"]
    return {}


def _rename(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _repository(self, sent)["repository_metadata"]["repositoryName"] = sent["newName"]
    kept = self.codecommit_backend.repositories
    kept[sent["newName"]] = kept.pop(sent["oldName"])
    return {}


def _trigger(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _repository(self, sent)["triggers"] = sent["triggers"]
    return {"configurationId": "1"}


def _tag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _repository(self, sent)["tags"] |= sent["tags"]
    return {}


def _untag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    for key in sent["tagKeys"]:
        _repository(self, sent)["tags"].pop(key, None)
    return {}


def _repositories(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    found = [one.repository_metadata for one in self.codecommit_backend.repositories.values()]
    names = ("repositoryName", "repositoryId")
    return {"repositories": [{name: one[name] for name in names} for one in found]}


def add() -> None:
    """Add the calls."""
    added(
        CodeCommitResponse,
        create_repository=_make_repository,
        list_repositories=_repositories,
        update_repository_description=_describe,
        update_repository_encryption_key=_encrypt,
        update_repository_name=_rename,
        put_repository_triggers=_trigger,
        get_repository_triggers=lambda self, sent: {"triggers": _repository(self, sent)["triggers"]},
        tag_resource=_tag,
        untag_resource=_untag,
        list_tags_for_resource=lambda self, sent: {"tags": _repository(self, sent)["tags"]},
    )
