"""The families of errors as the status of an answer, the word that programs see, and a title, most specific first."""

from tenuto.errors import (
    CompileError,
    ConflictError,
    ForbiddenError,
    ManagedElsewhereError,
    MismatchError,
    NotAllowedError,
    NotDeclarableError,
    NotFoundError,
    NotReadableError,
    NotThereError,
    PermanentError,
    PlanMovedError,
    ProviderError,
    StoreUnavailableError,
    TransientError,
    UserError,
    ViolationError,
)

FAMILIES: tuple[tuple[type[Exception], int, str, str], ...] = (
    (ViolationError, 422, ViolationError.code, "A validation is violated"),
    (CompileError, 422, "compile", "The composition has errors"),
    (NotFoundError, 404, "not-found", "There is no such thing"),
    (NotAllowedError, 409, "not-allowed", "Not allowed in this state"),
    (PlanMovedError, 409, "plan-moved", "The plan does not fit any more"),
    (ForbiddenError, 403, "permission", "Not permitted"),
    (NotThereError, 422, NotThereError.code, "What is to be adopted is not there"),
    (NotReadableError, 422, NotReadableError.code, "What is to be adopted cannot be read"),
    (MismatchError, 422, MismatchError.code, "What is to be adopted is something else"),
    (NotDeclarableError, 422, NotDeclarableError.code, "What is to be adopted cannot be declared"),
    (ManagedElsewhereError, 409, ManagedElsewhereError.code, "What is to be adopted is managed already"),
    (UserError, 400, "user", "The request cannot be served"),
    (TransientError, 503, "provider-unavailable", "The provider cannot be reached now"),
    (PermanentError, 502, "provider-refused", "The provider refused"),
    (ProviderError, 503, "provider-unavailable", "The provider cannot be observed now"),
    (ConflictError, 409, "conflict", "Another writer was faster"),
    (StoreUnavailableError, 503, "store-unavailable", "The store cannot be used now"),
)
"""Error, status of HTTP, code, title."""
