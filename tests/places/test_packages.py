"""Packages beside the default environment: asked for, installed once, on record, not leaked."""

from pathlib import Path

import pytest

from actum import Agent, runs, scripted
from actum.errors import UserMistake
from actum.places.packages.asked import split
from tests.flows.terminal import Terminal
from tests.places.wheels import make_wheel

PROGRAM = "import tiny\nprint(tiny.WORD)"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages come from, and nowhere else; and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ACTUM_HOME", str(tmp_path / "data"))
    folder = tmp_path / "index"
    for installer in ("PIP", "UV"):
        monkeypatch.setenv(f"{installer}_NO_INDEX", "1")
        monkeypatch.setenv(f"{installer}_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    make_wheel(folder, "tiny", "1.0", {"tiny/__init__.py": "WORD = 'small'\n"})
    return folder


@pytest.fixture
def terminal(tmp_path: Path, index: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def test_a_missing_module_is_told_with_the_way_to_have_it(terminal: Terminal) -> None:
    done = terminal.exec("import yaml_of_mine.deeper")
    assert done.exit == 1
    assert "No module named 'yaml_of_mine'" in done.err
    assert "--packages yaml_of_mine" in done.err
    assert "packages=['yaml_of_mine']" in done.err
    assert "--packages" not in terminal.exec("import json.nothing_such").err


def test_what_was_asked_for_is_there_and_replays_and_does_not_leak(terminal: Terminal) -> None:
    done = terminal.exec(PROGRAM, "--packages", "tiny==1.*")
    assert (done.exit, done.out) == (0, "small\n"), done
    assert terminal.actum("replay").out == "small\n"
    assert terminal.exec(PROGRAM).exit == 1
    [start, *_] = terminal.actum("runs", "show", "last~1", "--json").json["events"]
    assert start["body"]["packages"] == ["tiny==1.*"]
    recorded = start["body"]["environment"]["details"]["package_set"]
    assert [each["requirement"] for each in recorded["lock"]] == ["tiny==1.0"]
    assert "tiny" in start["body"]["environment"]["details"]["packages"]


def test_a_set_is_installed_once(terminal: Terminal, index: Path) -> None:
    first = terminal.exec(PROGRAM, "--packages", "tiny")
    assert "installed first" in first.err
    (index / "tiny-1.0-py3-none-any.whl").unlink()
    again = terminal.exec(PROGRAM, "--packages", "tiny")
    assert (again.exit, again.out, again.err) == (0, "small\n", "")


def test_two_command_lines_install_once(terminal: Terminal) -> None:
    (terminal.folder / "p.py").write_text(PROGRAM)
    command = ["exec", "p.py", "--packages", "tiny"]
    both = [terminal.start(*command) for _ in range(2)]
    assert [one.communicate()[0] for one in both] == ["small\n", "small\n"]
    assert len(terminal.actum("env", "list", "--json").json) == 1
    kept = terminal.folder.parent / "data" / "environments"
    assert list(kept.glob(".building-*")) == []


def test_needed_packages_come_too_and_win_over_installed_ones(
    terminal: Terminal, index: Path
) -> None:
    make_wheel(index, "click", "99.0", {"click/__init__.py": "OURS = True\n"})
    files = {"upper.py": "import click\nOURS = click.OURS\n", "upper.pth": "import nothing_such\n"}
    make_wheel(index, "upper", "2.0", files, needs=("click>=99", "tiny"))
    program = (
        "import importlib.metadata as m, click, tiny, upper\n"
        "print(m.version('click'), upper.OURS, tiny.WORD)\n"
        "try:\n    open(click.__file__, 'a')\nexcept OSError as error:\n    print('read-only')"
    )
    done = terminal.exec(program, "--packages", "upper")
    assert (done.exit, done.out) == (0, "99.0 True small\nread-only\n"), done


def test_a_wheel_and_a_lock_file_are_taken_from_the_settings(
    terminal: Terminal, index: Path
) -> None:
    own = make_wheel(terminal.folder, "own", "0.1", {"own.py": "WORD = 'mine'\n"})
    (terminal.folder / "lock.txt").write_text("tiny==1.0\n")
    (terminal.folder / "s.toml").write_text(f'packages = ["{own.name}", "lock.txt"]\n')
    program = f"{PROGRAM}\nimport own\nprint(own.WORD)"
    done = terminal.exec(program, "--config", "s.toml")
    assert (done.exit, done.out) == (0, "small\nmine\n"), done
    make_wheel(terminal.folder, "own", "0.1", {"own.py": "WORD = 'new'\n"})
    assert terminal.exec(program, "--config", "s.toml").out == "small\nnew\n"


def test_a_record_whose_packages_are_gone_says_so_and_can_have_them_again(
    terminal: Terminal, index: Path
) -> None:
    assert terminal.exec(PROGRAM, "--packages", "tiny").exit == 0
    [built] = terminal.actum("env", "list", "--json").json
    assert terminal.actum("env", "rm", built["key"][:6]).exit == 0
    gone = terminal.actum("replay")
    assert gone.exit == 3
    assert "actum replay RUN --rebuild-env" in gone.err
    rebuilt = terminal.actum("replay", "--rebuild-env")
    assert (rebuilt.exit, rebuilt.out) == (0, "small\n"), rebuilt
    terminal.actum("env", "rm", built["key"])
    make_wheel(index, "tiny", "1.0", {"tiny/__init__.py": "WORD = 'another'\n"})
    other = terminal.actum("replay", "--rebuild-env")
    assert (other.exit, other.out) == (3, "")
    assert "tiny==1.0" in other.err


def test_what_cannot_be_installed_is_one_error(terminal: Terminal) -> None:
    done = terminal.exec("1", "--packages", "no-such-thing")
    assert (done.exit, done.out) == (3, "")
    assert done.err.count("error[") == 1
    assert "no-such-thing" in done.err
    assert "Traceback" not in done.err
    assert terminal.actum("env", "list", "--json").json == []


@pytest.mark.parametrize("text", ["--index-url=elsewhere", "-r", "a b", ""])
def test_what_is_no_package_is_a_usage_error(terminal: Terminal, text: str) -> None:
    assert terminal.actum("env", "build", text).exit == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b", ("a", "b")),
        ("a>=1,<2, b[x,y]==1.*", ("a>=1,<2", "b[x,y]==1.*")),
        ("./a.whl,~/b.whl,c~=1.0,!=1.2", ("./a.whl", "~/b.whl", "c~=1.0,!=1.2")),
    ],
)
def test_a_comma_before_a_name_divides(text: str, names: tuple[str, ...]) -> None:
    assert split(text) == names


def test_env_build_installs_ahead_and_takes_the_newest(terminal: Terminal, index: Path) -> None:
    assert terminal.actum("env", "build", "tiny").out == "tiny==1.0\n"
    make_wheel(index, "tiny", "1.1", {"tiny/__init__.py": "WORD = 'newer'\n"})
    assert terminal.exec(PROGRAM, "--packages", "tiny").out == "small\n"
    assert terminal.actum("env", "build", "tiny").out == "tiny==1.1\n"
    done = terminal.exec(PROGRAM, "--packages", "tiny")
    assert (done.out, done.err) == ("newer\n", "")
    assert len(terminal.actum("env", "list", "--json").json) == 2


def answering(program: str) -> Agent:
    model = scripted([f"```python\n{program}\n```", "done"])
    return Agent(model=model, format="code")


def test_an_agent_has_the_packages_that_it_names(index: Path) -> None:
    agent = answering("import tiny\nfinish(tiny.WORD)").with_(packages=["tiny"])
    run = agent.run_sync("a word")
    assert run.output == "small"
    assert runs.replay(run.id).identical


def test_an_agent_with_imports_may_import_only_those(index: Path) -> None:
    program = (
        "import json, tiny\n"
        "try:\n    import click\nexcept ImportError as error:\n    finish(str(error))"
    )
    run = answering(program).with_(packages=["tiny"], imports=["tiny"]).run_sync("what is there?")
    assert "may not import click" in str(run.output)
    assert "it may import: tiny" in str(run.output)
    assert runs.replay(run.id).identical


def test_a_place_that_is_open_already_takes_no_packages(index: Path) -> None:
    from actum.places.local.place import Local

    agent = answering("1").with_(place=Local(preload=()), packages=["tiny"])
    with pytest.raises(UserMistake, match="open already"):
        agent.run_sync("anything")


def test_a_resume_whose_packages_are_gone_says_so(terminal: Terminal) -> None:
    source = f"{PROGRAM}\nshop.send('a')"
    paused = terminal.exec(source, "--packages", "tiny")
    assert paused.exit == 8, paused
    [built] = terminal.actum("env", "list", "--json").json
    terminal.actum("env", "rm", built["key"])
    assert terminal.actum("approve", "--all").exit == 0
    gone = terminal.actum("resume")
    assert gone.exit == 3
    assert "--rebuild-env" in gone.err
    assert terminal.actum("replay", "--rebuild-env").exit == 0
    assert terminal.actum("resume").exit == 0
    assert terminal.world == ["send a"]
