"""A record may come from anybody: doing it again writes nothing outside its own folder."""

from pathlib import Path

import pytest

from actum.errors import DoesNotVerify
from actum.lifecycle.folder_trees import Content, build
from actum.records.file_events import TreeEntry
from tests.promises import promise

ROOT = TreeEntry("", "folder", 0, 1, 0o755)


def entry(path: str, kind: str = "file", target: str = "") -> TreeEntry:
    """One name, as a record has it."""
    return TreeEntry(path, kind, 0, 1, 0o755, target)


@promise("record:stays-inside")
@pytest.mark.parametrize(
    "entries",
    [
        [entry("../escaped")],
        [entry("/tmp/actum-escaped", "folder")],
        [entry("a", "folder"), entry("a/../../escaped")],
        [entry("a//b")],
        [entry("link", "link", ".."), entry("link/escaped")],
        [entry("link", "link", ".."), entry("link", "folder"), entry("link/x")],
        [entry("a\0b")],
    ],
)
def test_a_tree_that_leads_out_of_its_folder_is_not_built(
    tmp_path: Path, entries: list[TreeEntry]
) -> None:
    folder = tmp_path / "inside" / "folder"
    folder.mkdir(parents=True)
    with pytest.raises(DoesNotVerify):
        build([ROOT, *entries], {}, str(folder), closed=False)
    assert [path.name for path in tmp_path.rglob("*")] == ["inside", "folder"]


@promise("record:stays-inside")
def test_content_that_leads_out_of_its_folder_is_not_written(tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    kept = {"../escaped": Content(b"x", 1)}
    with pytest.raises(DoesNotVerify):
        build([ROOT], kept, str(folder), closed=False)
    assert [path.name for path in tmp_path.rglob("*")] == ["inside"]
