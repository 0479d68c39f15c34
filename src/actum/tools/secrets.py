"""`secret("stripe")`: a name for a value that only a running tool may see.

The gate lends the values of a call to it, and takes them back when the call is over.
"""

import contextlib
from collections.abc import Generator, Mapping
from contextvars import ContextVar
from typing import NoReturn

from actum.errors import SecretClosed


class _Loan:
    """The secrets of one call, while it runs."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.over = False


_LENT: ContextVar[_Loan | None] = ContextVar("lent secrets", default=None)


class Secret:
    """The name of a secret. It never shows its value but by `reveal`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def reveal(self) -> str:
        """The value. Only inside a running tool that declares it: `@tool(secrets=("stripe",))`."""
        loan = _LENT.get()
        if loan is None or loan.over:
            raise SecretClosed(
                f"the secret {self.name} can be revealed only while a tool that declares it runs",
                hints=(f'declare it: @tool(secrets=("{self.name}",)), and reveal it inside',),
            )
        if self.name not in loan.values:
            raise SecretClosed(
                f"this tool does not declare the secret {self.name}",
                hints=(f'declare it: @tool(secrets=("{self.name}",))',),
            )
        return loan.values[self.name]

    def __repr__(self) -> str:
        return f"secret({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.name == self.name

    def __hash__(self) -> int:
        return hash((Secret, self.name))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down")


def secret(name: str) -> Secret:
    """A name for a value that was kept with `actum secrets set NAME`."""
    return Secret(name)


@contextlib.contextmanager
def lent(values: Mapping[str, str]) -> Generator[None]:
    """Lend these values to what runs inside, threads of its tool too, and to nobody after it."""
    loan = _Loan(values)
    token = _LENT.set(loan)
    try:
        yield
    finally:
        loan.over = True
        loan.values = {}
        _LENT.reset(token)
