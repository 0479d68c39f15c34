"""What is certainly wrong is found before anything is done; what is not certain runs."""

import pytest
from inline_snapshot import snapshot

from actum.loop.formats.preflight import check_program
from actum.records.tools import Parameter, ToolSpec

SPECS = {
    spec.name: spec
    for spec in (
        ToolSpec(
            name="crm.get",
            effect="read",
            parameters=(
                Parameter(name="i", annotation="int"),
                Parameter(name="full", annotation="bool", default="False", kind="keyword"),
            ),
            returns="dict",
        ),
        ToolSpec(
            name="crm.refund",
            effect="write",
            parameters=(
                Parameter(name="i", kind="positional"),
                Parameter(name="more", kind="more"),
            ),
        ),
        ToolSpec(name="orders", effect="read", parameters=(Parameter(name="q", default="''"),)),
        ToolSpec(
            name="crm.find",
            effect="read",
            parameters=(Parameter(name="any", kind="more_keywords"),),
        ),
        ToolSpec(name="crm.raw", effect="read", input_schema={"properties": {"x": {}}}),
    )
}
MODULES = {"": ["crm", "orders"], "crm": ["find", "get", "raw", "refund"]}


def check(source: str, *injected: str) -> str | None:
    return check_program(source, SPECS.get, MODULES.get, "tools", injected)


def test_the_texts_are_these() -> None:
    sources = (
        "x = (",
        "!pip install pandas",
        "from tools import crm\ncrm.get(1, 2)",
        "from tools import crm\ncrm.get(1, fully=True)",
        "from tools import crm\ncrm.get()",
        "from tools import crm\ncrm.gett(1)",
        "from tools import cmr",
        "import tools.cmr",
        "from tools import crm\ncrm.get(1, i=2)\ncrm.refund()",
    )
    assert [check(source) for source in sources] == snapshot(
        [
            """\
The program does not compile: line 1: '(' was never closed
  x = (
Nothing was run. Send the whole program again.\
""",
            """\
The program does not compile: line 1: invalid syntax
  !pip install pandas
Shell commands and magics do not work here; write Python.
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 2: crm.get: 2 positional arguments, and it takes 1. It is crm.get(i: int, *, full: bool = False) -> dict
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 2: crm.get: no argument 'fully' (near: full). It is crm.get(i: int, *, full: bool = False) -> dict
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 2: crm.get: missing 'i'. It is crm.get(i: int, *, full: bool = False) -> dict
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 2: crm has no 'gett'. Near: get.
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 1: tools has no 'cmr'. Near: crm.
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 1: there are no tools 'cmr'. Near: crm.
Nothing was run. Send the whole program again.\
""",
            """\
The program was checked before its start:
line 2: crm.get: argument 'i' is given twice. It is crm.get(i: int, *, full: bool = False) -> dict
line 3: crm.refund: missing 'i'. It is crm.refund(i, /, *more)
Nothing was run. Send the whole program again.\
""",
        ]
    )


@pytest.mark.parametrize(
    "source",
    [
        "import tools\ntools.crm.get()",
        "import tools as t\nt.crm.get()",
        "import tools.crm as c\nc.get()",
        "from tools.crm import get\nget()",
        "from tools.crm import get as fetch\nfetch(1, 2)",
        "from tools import crm as c\nc.get(i=1, x=2)",
        "from tools import crm\nfor i in [1]:\n    crm.get(i, True)",
        "from tools import crm\nasync def f():\n    return await crm.get()",
        "from tools import crm\ncrm.refund.again()",
        "from tools import crm\nwith open('x') as f:\n    crm.get()",
        "from tools.crm import gett",
        "import tools\ntools.nothing()",
    ],
)
def test_what_cannot_work_is_found(source: str) -> None:
    assert check(source) is not None


@pytest.mark.parametrize(
    "source",
    [
        "from tools import crm\ncrm.get(1)",
        "from tools import crm\ncrm.get(i=1, full=True)",
        "from tools import crm\ncrm.get(*args)",
        "from tools import crm\ncrm.get(**arguments)",
        "from tools import crm\ncrm.find(a=1, b=2)",
        "from tools import crm\ncrm.refund(1, 2, 3)\ncrm.refund.again(1)",
        "from tools import crm\ncrm.raw(x=1)",
        "from tools import crm\ntry:\n    crm.nothing()\nexcept AttributeError:\n    print('no')",
        (
            "from tools import crm\nimport contextlib\n"
            "with contextlib.suppress(Exception):\n    crm.get()"
        ),
        "from tools import crm\nif hasattr(crm, 'nothing'):\n    crm.nothing()",
        "from tools import crm\ncrm = other\ncrm.nothing()",
        "from tools import crm\ncrm.nothing = print\ncrm.nothing()",
        "from tools import crm\ndef f(crm):\n    return crm.nothing()",
        (
            "from tools import crm\ndef f():\n    return crm.get()\n"
            "try:\n    f()\nexcept TypeError:\n    print('no')"
        ),
        "from tools import crm\nexec(text)\ncrm.nothing()",
        "from tools import *\ncrm.nothing()",
        "crm.nothing()",
        "tools.nothing()",
        "from tools import search, describe, parallel, ToolError, Denied\nsearch('x', 1)",
        "import tools\ntools.search('refund')",
        "from tools import crm\nprint(crm.__doc__, crm.get.__name__)",
        "from other import crm\ncrm.nothing()",
        "import mytools\nmytools.crm.get()",
        "from tools import crm\nfrom mine import crm\ncrm.nothing()",
        "rows = await orders('open')",
        "orders()",
        "",
    ],
)
def test_what_is_not_certain_runs(source: str) -> None:
    assert check(source) is None


def test_names_that_are_there_without_an_import_are_checked() -> None:
    assert check("crm.nothing()", "crm") is not None
    assert check("orders(1, 2)", "orders") is not None
    assert check("crm = 3\ncrm.nothing()", "crm") is None
    assert check("tools.nothing()", "tools") is not None
