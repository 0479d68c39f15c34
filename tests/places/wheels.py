"""Tiny wheels, made on the spot: no network, nothing to build."""

import base64
import hashlib
import zipfile
from pathlib import Path


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    files: dict[str, str],
    *,
    needs: tuple[str, ...] = (),
) -> Path:
    """A pure wheel that holds these files."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {each}\n" for each in needs)
    wheel = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    held = {**files, f"{info}/METADATA": metadata, f"{info}/WHEEL": wheel}
    record = "".join(f"{path},{_digest(text)},{len(text)}\n" for path, text in held.items())
    held[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    folder.mkdir(exist_ok=True)
    made = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in held.items():
            archive.writestr(path, text)
    return made


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")
