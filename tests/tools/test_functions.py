"""What becomes a tool, what is told of it, and mistakes in calling it."""

import asyncio
import enum
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar

import pydantic
import pytest

from actum.errors import BadArguments, BadTool, NoSuchFile
from actum.records.calls import ToolAnswer
from actum.records.tools import ToolSpec
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions, load_file, toolset


def specs(source: PythonFunctions) -> dict[str, ToolSpec]:
    return {spec.name: spec for spec in asyncio.run(source.tools())}


def answer(source: PythonFunctions, name: str, *args: object, **kwargs: object) -> Any:
    checked = source.check(name, args, kwargs)
    result = asyncio.run(source.call(name, checked, "key"))
    assert isinstance(result, ToolAnswer), result
    return result.value


def orders(
    status: Literal["open", "done"] = "open",
    *ids: int,
    limit: Annotated[int, "how many at most"] = 30,
    **more: str,
) -> list[dict[str, Any]]:
    """Orders in a status, newest first.

    Args:
        status: which of them
    """
    return [{"status": status, "ids": list(ids), "limit": limit, **more}]


def test_a_bare_function_is_a_tool_that_may_write() -> None:
    (spec,) = specs(PythonFunctions([orders])).values()
    assert (spec.effect, spec.declared) == ("write", False)
    assert spec.signature == (
        "orders(status: Literal['open', 'done'] = 'open', *ids: int, limit: int = 30, **more: str)"
        " -> list[dict[str, Any]]"
    )
    assert spec.description == "Orders in a status, newest first."
    assert [p.description for p in spec.parameters] == ["which of them", "", "how many at most", ""]
    properties: Any = spec.input_schema["properties"]
    assert properties["limit"] == {"type": "integer", "description": "how many at most"}
    assert spec.input_schema["additionalProperties"] == {"type": "string"}


def test_every_mistake_of_a_call_is_told_at_once_with_the_signature() -> None:
    def send(to: str, body: str, urgent: bool = False) -> None: ...

    with pytest.raises(BadArguments) as told:
        PythonFunctions([send]).check("send", (), {"to": 5, "subject": "x", "urgent": "no"})
    assert told.value.message == (
        "send: to: expected str, got int; subject is unknown; urgent: expected bool, got str; "
        "body is missing. It takes: send(to: str, body: str, urgent: bool = False) -> None"
    )


@pytest.mark.parametrize(
    ("args", "kwargs", "what"),
    [
        ((1, 2), {}, "2 arguments by position, at most 1 fit"),
        ((1,), {"a": 2}, "a is given twice"),
        ((), {}, "a is missing"),
    ],
)
def test_places_of_arguments_are_checked(
    args: tuple[object, ...], kwargs: dict[str, object], what: str
) -> None:
    def take(a: int) -> None: ...

    with pytest.raises(BadArguments, match=what):
        PythonFunctions([take]).check("take", args, kwargs)


def test_defaults_that_are_no_data_are_left_to_the_function() -> None:
    missing = object()

    def take(a: Any = missing, b: int = 2) -> list[Any]:
        return [a is missing, b]

    source = PythonFunctions([take])
    assert source.check("take", (), {}) == {"b": 2}
    assert answer(source, "take", b=5) == [True, 5]


def test_rules_and_defaults_of_pydantic_fields_hold() -> None:
    def take(
        a: int = pydantic.Field(gt=0, description="how many"),
        b: list[int] = pydantic.Field(default_factory=list),  # noqa: B008 -- as pydantic is written
    ) -> list[object]:
        return [a, b]

    source = PythonFunctions([take])
    assert answer(source, "take", a=1) == [1, []]
    assert specs(source)["take"].parameters[0].description == "how many"
    with pytest.raises(BadArguments, match="a: input should be greater than 0"):
        source.check("take", (0,), {})
    with pytest.raises(BadArguments, match="a is missing"):
        source.check("take", (), {})


def test_partials_and_callable_objects_are_functions_too() -> None:
    class Adder:
        def __call__(self, a: int, b: int) -> int:
            return a + b

    source = PythonFunctions(named={"add": Adder(), "five": functools.partial(orders, limit=5)})
    assert answer(source, "add", 1, 2) == 3
    assert answer(source, "five", "done")[0]["limit"] == 5


def test_signatures_are_python_whatever_the_types() -> None:
    def same(x: T, c: Literal[Colour.RED] = Colour.RED) -> T:
        return x

    signature = specs(PythonFunctions([tool(effect="read")(same)]))["same"].signature
    assert signature == "same(x: Any, c: Literal[Colour.RED] = ...) -> Any"


def test_of_a_few_values_all_are_told() -> None:
    def paint(colour: Literal["a", "b", "c", "d", "e", "f", "g", "h", "i"]) -> None: ...

    with pytest.raises(BadArguments, match=r"expected one of 'a', .*, 'i', got 'z'"):
        PythonFunctions([paint]).check("paint", ("z",), {})


class Colour(enum.Enum):
    RED = "red"


T = TypeVar("T")


class Counter:
    def __init__(self) -> None:
        self.count = 0

    @tool(effect="write")
    def add(self, by: int = 1) -> int:
        """Count up."""
        self.count += by
        return self.count

    @tool(effect="read")
    async def search(self) -> int:
        return self.count

    def not_a_tool(self) -> None: ...


def test_an_object_keeps_its_state_from_call_to_call() -> None:
    source = toolset("counter", Counter())
    assert set(specs(source)) == {"counter.add", "counter.search"}
    assert specs(source)["counter.add"].effect == "write"
    assert [answer(source, "counter.add", 2), answer(source, "counter.search")] == [2, 2]


def test_a_module_gives_what_is_marked_or_else_what_is_public() -> None:
    module = ModuleType("numbers_of_mine")
    source = "import os\ndef double(x: int) -> int:\n    return 2 * x\ndef _hidden(): ...\n"
    exec(source, module.__dict__)
    found = toolset("numbers", module)
    assert set(specs(found)) == {"numbers.double"}
    assert answer(found, "numbers.double", 4) == 8
    vars(module)["marked"] = tool(effect="read")(lambda: 1)
    assert set(specs(toolset("numbers", module))) == {"numbers.marked"}


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: tool(effect="reed"), "there is no effect"),  # pyright: ignore[reportArgumentType] -- the mistake
        (lambda: tool(name="search")(lambda: 1), None),
        (lambda: PythonFunctions([tool(name="search")(lambda: 1)]), "belongs to the tools root"),
        (lambda: PythonFunctions([lambda: 1]), "a lambda has no name"),
        (lambda: PythonFunctions([orders, orders]), "two tools are called orders"),
        (lambda: toolset("counter", Counter), "is a class"),
        (lambda: toolset("nothing", 5), "no functions"),
        (lambda: toolset("...", Counter()), "is no name"),
        (lambda: tool(effect="read")(Counter), "a class is no tool"),
        (lambda: PythonFunctions([5]), "cannot be called"),  # pyright: ignore[reportArgumentType] -- the mistake
    ],
)
def test_what_cannot_be_a_tool_is_said_when_it_is_given(
    make: Callable[[], object], what: str | None
) -> None:
    if what is None:
        make()
        return
    with pytest.raises(BadTool, match=what):
        make()


def test_a_type_that_is_no_data_is_said_when_the_tool_is_given() -> None:
    def take(stream: asyncio.StreamReader) -> None: ...

    with pytest.raises(BadTool, match="take: stream cannot be data"):
        PythonFunctions([take])


def test_a_name_that_is_no_name_of_python_is_made_one() -> None:
    spec = specs(PythonFunctions([tool(name="crm.get-order", effect="read")(lambda: 1)]))
    assert spec["crm.get_order"].original == "crm.get-order"


TOOLS = """
from actum import tool
import helper_of_tools
from package_of_tools import inner

@tool(effect="read")
def get(i: int) -> int:
    "Get it."
    return helper_of_tools.add(i) + inner.ONE

class Shop:
    @tool(effect="write")
    def sell(self) -> str:
        return "sold"

shop = Shop()
again = get

def not_a_tool(): ...
"""


def tools_file(folder: Path) -> Path:
    (folder / "helper_of_tools.py").write_text("def add(i): return i + 1\n")
    (folder / "package_of_tools").mkdir(exist_ok=True)
    (folder / "package_of_tools" / "__init__.py").write_text("")
    (folder / "package_of_tools" / "inner.py").write_text("ONE = 1\n")
    path = folder / "tools.py"
    path.write_text(TOOLS)
    return path


def test_a_file_gives_its_marked_functions_and_objects(tmp_path: Path) -> None:
    source = load_file(tools_file(tmp_path))
    assert set(specs(source)) == {"get", "shop.sell"}
    assert answer(source, "get", 1) == 3
    assert source.record().path == str(tmp_path / "tools.py")
    for name in list(sys.modules):
        if name.endswith("_of_tools") or name.startswith("package_of_tools"):
            del sys.modules[name]


def test_compiled_files_beside_a_tools_file_are_neither_run_nor_written(tmp_path: Path) -> None:
    path = tools_file(tmp_path)
    planted: list[Path] = []
    for folder, name in (
        (tmp_path, "tools"),
        (tmp_path, "helper_of_tools"),
        (tmp_path / "package_of_tools", "inner"),
    ):
        cache = folder / "__pycache__"
        cache.mkdir(exist_ok=True)
        compiled = cache / f"{name}.{sys.implementation.cache_tag}.pyc"
        code = compile("raise SystemExit('planted')", "x", "exec")
        # Unchecked: Python itself would run it whatever the source says.
        header = (1).to_bytes(4, "little") + bytes(8)
        import importlib.util
        import marshal

        compiled.write_bytes(importlib.util.MAGIC_NUMBER + header + marshal.dumps(code))
        planted.append(compiled)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.pyc")}
    assert answer(load_file(path), "get", 1) == 3
    assert {p: p.read_bytes() for p in tmp_path.rglob("*.pyc")} == before
    assert set(before) == set(planted)
    for name in list(sys.modules):
        if name.endswith("_of_tools") or name.startswith("package_of_tools"):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("def f(): ...", "has no tools"),
        ("x = (", "cannot be loaded: SyntaxError"),
        ("import sys\nsys.exit(3)", "cannot be loaded: SystemExit"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
    ],
)
def test_a_file_that_gives_no_tools_says_why(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "tools.py"
    path.write_text(text)
    with pytest.raises(BadTool, match=what):
        load_file(path)
    with pytest.raises(NoSuchFile):
        load_file(tmp_path / "nothing.py")
