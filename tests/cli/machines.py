"""A person's machine for one test: an empty home, an empty folder."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """Where the person stands, and where actum keeps their things."""

    folder: Path
    data: Path
    settings: Path

    def project(self, text: str) -> Path:
        """Write the project's settings."""
        file = self.folder / "actum.toml"
        file.write_text(text)
        return file

    def user(self, text: str) -> Path:
        """Write the person's own settings."""
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(text)
        return self.settings
