"""`build_image`: the work of `tenuto image build`, on this machine and without a Conductor."""

from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

from tenuto.model.ids import JsonMap
from tenuto.providers.local.tiny.image import build

CACHE = "images"


def build_tiny(target: Path, say: Callable[[str], None], cache: Path | None = None) -> JsonMap:
    """Build the image `tiny` as a file, and tell about it. Raises UserError."""
    built = build(target, cache or user_cache_path("tenuto") / CACHE, say)
    return {
        "file": str(built.file),
        "format": "qcow2",
        "size_bytes": built.size_bytes,
        "sha512": built.sha512,
        "is_from_cache": built.is_from_cache,
    }
