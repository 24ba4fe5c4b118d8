"""The addition of all modules of this package to moto: each of a service has a function `add`."""

from importlib import import_module
from pkgutil import iter_modules

from tenuto.bootstrap import emulated

_OTHERS = ("__main__", "added", "everything")


def add_everything() -> None:
    """Add it, in this process."""
    for found in iter_modules(emulated.__path__):
        if found.name not in _OTHERS:
            import_module(f"{emulated.__name__}.{found.name}").add()
