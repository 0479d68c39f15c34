"""Artifacts on their way into a folder of the user: a program chose their names, so none is trusted."""

import contextlib
import os
import secrets
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

from actum.errors import UserMistake
from actum.records.values import BlobRef

LONGEST_NAME = 200
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_files(
    files: Mapping[str, BlobRef], load: Callable[[BlobRef], bytes], folder: Path
) -> list[str]:
    """Write each below the folder, over a file of its name. The names as they were written.

    Nothing outside is touched: a link that stands in the way of a folder is a mistake of the user,
    and one that stands where a file goes is replaced, not followed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as problem:
        raise UserMistake(f"the folder {folder} cannot be made", why=_why(problem)) from None
    try:
        written: list[str] = []
        for name, blob in files.items():
            parts = safe_parts(name)
            with _opened(top, parts[:-1]) as inner:
                _write(inner, parts[-1], load(blob))
            written.append("/".join(parts))
        return written
    except OSError as problem:
        raise UserMistake(f"a file cannot be written to {folder}", why=_why(problem)) from None
    finally:
        os.close(top)


def safe_parts(name: str) -> list[str]:
    """A path below a folder, whatever the name says."""
    parts = [_safe(part) for part in name.split("/") if part not in {"", ".", ".."}]
    return parts or ["file"]


def _safe(part: str) -> str:
    plain = "".join(c if c.isprintable() and c not in '\\:*?"<>|' else "_" for c in part)
    return plain.encode()[:LONGEST_NAME].decode("utf-8", "ignore") or "_"


@contextlib.contextmanager
def _opened(top: int, folders: list[str]) -> Generator[int]:
    here = os.dup(top)
    try:
        for name in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=here)
            inner = os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


def _write(folder: int, name: str, content: bytes) -> None:
    unfinished = f".{secrets.token_hex(8)}.part"
    with open(os.open(unfinished, _NEW, 0o644, dir_fd=folder), "wb") as file:  # noqa: PTH123 -- by its descriptor
        file.write(content)
    try:
        os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(unfinished, dir_fd=folder)
        raise


def _why(problem: OSError) -> str:
    return problem.strerror or str(problem)
