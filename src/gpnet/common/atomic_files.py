"""Files that are written whole or not at all."""

import os
from pathlib import Path

from gpnet.common.errors import FileError


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Whatever was there before is only replaced once all is safe on the disk.

    What a killed process left behind is written over by the next.
    """
    target = Path(path)
    aside = temporary(target)
    try:
        try:
            with open(aside, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise FileError(
            f"{target}: cannot be written ({error.strerror or error}); see that its folder exists "
            "and can be written and that the disk has room, or name another"
        ) from error


def temporary(target: Path) -> Path:
    """Where a file stands while it is written."""
    return target.with_name(f".{target.name}.tmp")


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut too; other systems know no such thing."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
