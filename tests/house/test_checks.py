"""Each check fails where it should, and says what to do."""

from tests.house.trees import Tree, tree

__all__ = ["tree"]


def test_an_import_that_points_outwards_fails_and_names_the_way_out(tree: Tree) -> None:
    tree.add("src/actum/records/values.py", "\nfrom actum.places import contract as _outwards\n")
    said = tree.check_rooms()
    assert not said.passed
    assert "actum.records.values -> actum.places.contract" in said.text
    assert "Move the shared noun to records/" in said.text


def test_an_outward_import_inside_a_function_fails_too(tree: Tree) -> None:
    tree.add(
        "src/actum/records/values.py",
        "\n\ndef late() -> object:\n    from actum.places import contract\n\n    return contract\n",
    )
    assert not tree.check_rooms().passed


def test_an_undeclared_room_fails_and_says_where_rooms_are_listed(tree: Tree) -> None:
    tree.write("src/actum/attic/__init__.py", '"""Things nobody decided about."""\n')
    said = tree.check_rooms()
    assert not said.passed
    assert "attic" in said.text
    assert "give it a place in the layers of tool.importlinter" in said.text


def test_two_ways_of_keeping_a_contract_may_not_know_each_other(tree: Tree) -> None:
    tree.add("src/actum/journal/memory.py", "\nfrom actum.journal import sqlite as _other\n")
    said = tree.check_rooms()
    assert not said.passed
    assert "Put what both need into contract.py" in said.text


def test_a_file_over_its_budget_fails_and_is_named(tree: Tree) -> None:
    tree.write("src/actum/records/long.py", "number = 1\n" * 301)
    said = tree.check("budget")
    assert not said.passed
    assert "src/actum/records/long.py: 301 lines, 300 allowed" in said.text
    assert "Split the file by noun" in said.text


def test_a_promise_without_a_test_fails_and_says_how_to_mark_one(tree: Tree) -> None:
    promises = (tree.root / "tests/promises.py").read_text(encoding="utf-8")
    tree.write(
        "tests/promises.py",
        promises.replace(
            '    "wall:files"', '    "wall:moon": "No program reaches it.",\n    "wall:files"'
        ),
    )
    said = tree.check("promises")
    assert not said.passed
    assert "nothing tests 'wall:moon'; mark the test that keeps it with @promise" in said.text


def test_a_test_of_a_promise_nobody_made_fails(tree: Tree) -> None:
    tree.write(
        "tests/test_moon.py",
        "from tests import promises\n\n\n"
        '@promises.promise("wall:sun")\ndef test_it() -> None:\n    assert True\n',
    )
    said = tree.check("promises")
    assert not said.passed
    assert "there is no promise 'wall:sun'; write it down in tests/promises.py" in said.text


def test_a_linux_only_module_at_import_time_fails_outside_the_local_place(tree: Tree) -> None:
    tree.write("src/actum/journal/locks.py", '"""Locks."""\n\nimport fcntl as fcntl\n')
    said = tree.check("imports")
    assert not said.passed
    assert "src/actum/journal/locks.py:3: fcntl exists on Linux only" in said.text
    assert "import it in the function that needs it" in said.text


def test_a_linux_only_module_inside_a_function_passes(tree: Tree) -> None:
    tree.write(
        "src/actum/journal/locks.py",
        '"""Locks."""\n\n\ndef lock() -> None:\n    import fcntl\n\n    print(fcntl)\n',
    )
    assert "locks.py" not in tree.check("imports").text


def test_the_guest_may_use_nothing_but_the_standard_library(tree: Tree) -> None:
    tree.write(
        "src/actum/places/guest/visitor.py",
        '"""A guest."""\n\n\ndef look() -> None:\n    import msgspec\n\n    print(msgspec)\n',
    )
    said = tree.check("imports")
    assert not said.passed
    assert "visitor.py:5: the guest has the standard library alone, not msgspec" in said.text


def test_a_dependency_that_was_not_locked_fails_and_names_the_command(tree: Tree) -> None:
    project = (tree.root / "pyproject.toml").read_text(encoding="utf-8")
    tree.write("pyproject.toml", project.replace('"click>=8.2"', '"click>=8.2", "attrs>=25"'))
    said = tree.check("locked")
    assert not said.passed
    assert "attrs>=25" in said.text
    assert "Run scripts/lock" in said.text
