"""Tools as modules of Monty: made from the texts that the host gives for each module."""

import ast
from collections.abc import Awaitable, Callable

import pydantic_monty as monty

from actum.places.monty.reading import Reading
from actum.records.sessions import ModuleText

OF_THE_ROOT = ("describe", "parallel", "search")
MODULES_MARK = "# modules:"
Ask = Callable[[str], Awaitable[ModuleText]]


class ToolModules:
    """The modules of one session below the root. A module's text is asked for when it is wanted."""

    def __init__(self, root: str, modules: dict[str, monty.ExternalModule]) -> None:
        self.root = root
        self._modules = modules
        self._texts: dict[str, str] = {}

    def tool(self, name: str) -> str | None:
        """The tool behind a function of ours; None for other functions."""
        return name.removeprefix(f"{self.root}.") if name.startswith(f"{self.root}.") else None

    async def load(self, reading: Reading, ask: Ask) -> str:
        """Make the root, and below it the modules that a program mentions. Returns why it cannot be."""
        if "" not in self._texts:
            answer = await ask("")
            if answer.problem:
                return answer.problem
            self._texts[""] = answer.text
        await self._load_below("", reading, ask)
        self._modules[self.root] = self._made("")
        return ""

    async def _load_below(self, name: str, reading: Reading, ask: Ask) -> None:
        known = [part for part in _modules_in(self._texts[name]) if part in reading.mentioned]
        path = f"{self.root}.{name}" if name else self.root
        functions = {*_functions_in(self._texts[name]), *OF_THE_ROOT}
        imported = [part for part in reading.imported_below(path) if part not in functions]
        for part in dict.fromkeys((*known, *imported)):
            below = f"{name}.{part}" if name else part
            if below not in self._texts:
                answer = await ask(below)
                if answer.problem:
                    continue
                self._texts[below] = answer.text
            await self._load_below(below, reading, ask)

    def offered(self) -> set[str]:
        """What the root has."""
        text = self._texts.get("", "")
        return {*_functions_in(text), *_modules_in(text), *OF_THE_ROOT}

    def _made(self, name: str) -> monty.ExternalModule:
        text = self._texts[name]
        attributes: dict[str, object] = dict.fromkeys(_functions_in(text), _nothing)
        if not name:
            attributes.update(dict.fromkeys(OF_THE_ROOT, _nothing))
        for below in self._texts:
            above, _, part = below.rpartition(".")
            if below and above == name:
                attributes[part] = self._made(below)
        before = self._modules.get(self.root) if not name else None
        return monty.ExternalModule(attributes, id=before.id if before is not None else None)

    def help(self, thing: object) -> str:
        """What `help` says of a module or a function of ours."""
        if isinstance(thing, monty.ExternalModule):
            thing = next((str(v).rpartition(".")[0] for v in thing.attrs.values()), self.root)
        name = str(thing)
        module = self.root if name == self.root else (self.tool(name) or "")
        if name == self.root or module in self._texts:
            return self._texts["" if name == self.root else module]
        above, _, function = module.rpartition(".")
        for node in _tree(self._texts.get(above, "")):
            if node.name == function:
                return ast.unparse(node)
        return f"there is no help for {name[:200]}"


def _nothing(*args: object, **kwargs: object) -> None:
    """Stands for a tool. It is never called: the call itself comes out."""


def _tree(text: str) -> list[ast.FunctionDef]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _functions_in(text: str) -> list[str]:
    return [node.name for node in _tree(text)]


def _modules_in(text: str) -> list[str]:
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith(MODULES_MARK):
            names += [name.strip() for name in line.removeprefix(MODULES_MARK).split(",")]
    return [name for name in names if name]
