"""Every error that a caller of actum can catch. Each has a code, a message, hints and an exit code.

ActumError                      1   something that actum can name went wrong
├── UserMistake                 2   what was asked for cannot be, and why
│   ├── BadSetting              2   a settings file or variable is wrong
│   ├── BadTool                 2   a function cannot be a tool as it stands
│   ├── BadArguments            2   arguments do not fit a tool
│   ├── NoSuchFile              2   a file that was named is not there
│   ├── NoSuchRun               2   no run has this id
│   ├── RunBusy                 2   another process has the run open
│   ├── NothingToDecide         2   no row, or no single run, that the choice could mean
│   └── SecretClosed            2   a secret was asked for where nobody may see it
├── NotSetUp                    3   the machine lacks what is needed
│   ├── NoWall                  3   nothing here can hold a program
│   ├── NoModel                 3   no model to ask
│   ├── SourceMissing           3   tools that the run was started with are gone
│   ├── SecretMissing           3   a secret is not there, or not for whoever wants it
│   ├── NotKept                 3   a file of the run is not in its record
│   ├── SandboxLost             3   the machine behind a session is gone
│   └── StoreLost               3   the record cannot be written or read
├── NoOutput                    1   the run has no answer, and why
├── ModelFailed                 1   the provider gave no answer
├── DoesNotVerify               7   the record is not as it was written
│   └── BlobMissing             7   bytes that the record names are not there
└── Diverged                    7   re-execution did something else than the record
"""

from typing import ClassVar


class ActumError(Exception):
    """Anything that actum can name. `hints` are things to do next, each with its command."""

    code: ClassVar[str] = "actum"
    exit_code: ClassVar[int] = 1

    def __init__(
        self, message: str, *, where: str = "", why: str = "", hints: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.why = why
        self.hints = hints


class UserMistake(ActumError):
    """What was asked for cannot be."""

    code = "usage"
    exit_code = 2


class BadSetting(UserMistake):
    """A settings file or variable is wrong."""

    code = "settings.bad"


class BadTool(UserMistake):
    """A function cannot be a tool as it stands."""

    code = "tools.bad"


class BadArguments(UserMistake):
    """Arguments do not fit a tool. The caller sees every wrong, missing and unknown one at once."""

    code = "tools.arguments"


class NoSuchFile(UserMistake):
    """A file that was named is not there."""

    code = "file.missing"


class NoSuchRun(UserMistake):
    """No run has this id."""

    code = "runs.unknown"


class RunBusy(UserMistake):
    """Another process has the run open."""

    code = "runs.busy"


class NothingToDecide(UserMistake):
    """No row, or no single run, that the choice could mean."""

    code = "approve.nothing"


class SecretClosed(UserMistake):
    """A secret was asked for where nobody may see it."""

    code = "secrets.closed"


class NotSetUp(ActumError):
    """The machine lacks what is needed."""

    code = "setup"
    exit_code = 3


class NoWall(NotSetUp):
    """Nothing here can hold a program."""

    code = "place.no-wall"


class NoModel(NotSetUp):
    """No model to ask."""

    code = "model.none"


class SourceMissing(NotSetUp):
    """Tools that the run was started with are gone."""

    code = "tools.gone"


class SecretMissing(NotSetUp):
    """A secret is not there, or not for whoever wants it."""

    code = "secrets.missing"


class NotKept(NotSetUp):
    """A file of the run is not in its record."""

    code = "files.not-kept"


class SandboxLost(NotSetUp):
    """The machine behind a session is gone."""

    code = "place.lost"


class StoreLost(NotSetUp):
    """The record cannot be written or read."""

    code = "journal.lost"


class NoOutput(ActumError):
    """The run has no answer."""

    code = "run.no-output"


class ModelFailed(ActumError):
    """The provider gave no answer."""

    code = "model.failed"


class DoesNotVerify(ActumError):
    """The record is not as it was written."""

    code = "journal.broken"
    exit_code = 7


class BlobMissing(DoesNotVerify):
    """Bytes that the record names are not there."""

    code = "journal.blob"


class Diverged(ActumError):
    """Re-execution did something else than the record."""

    code = "replay.diverged"
    exit_code = 7
