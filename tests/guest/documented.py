"""Programs that others wrote: the examples in the docstrings of what is installed.

They are read from the libraries at hand when the tests run; nothing of them is kept here. What
depends on the clock, on chance, on addresses or on files of the machine is left out.
"""

import doctest
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

STANDARD = """
ast base64 bdb bisect calendar cmd codecs collections collections.abc colorsys configparser
contextlib copy csv dataclasses datetime decimal difflib doctest email enum fnmatch fractions
functools gettext hashlib heapq html http.cookies inspect ipaddress itertools json keyword
linecache locale math mimetypes numbers operator optparse os.path pickle pprint queue random re
reprlib sched shlex statistics string struct textwrap threading timeit token tokenize traceback
types typing unicodedata urllib.parse uuid weakref xml.etree.ElementTree zipfile zlib
test.test_deque test.test_descrtut test.test_extcall test.test_generators test.test_genexps
test.test_itertools test.test_listcomps test.test_setcomps test.test_unpack test.test_unpack_ex
test.test_heapq test.test_coroutines test.test_cmd test.test_difflib test.test_syntax
""".split()

NUMPY = """
add.accumulate argmax argsort array_split average bincount broadcast_to clip concatenate convolve
corrcoef cov cross cumsum diff digitize dot einsum full gradient histogram histogram2d insert interp
intersect1d isclose kron linspace lexsort linalg.det linalg.inv linalg.lstsq linalg.norm linalg.qr
linalg.solve linalg.svd logspace mean median meshgrid moveaxis nanmean nonzero outer pad percentile
piecewise polyfit polyval put_along_axis quantile ravel repeat roll rot90 searchsorted select sort
split stack std take_along_axis tensordot tile trapezoid tril unique vander var where fft.fft fft.rfft
""".split()

PANDAS = """
DataFrame.agg DataFrame.apply DataFrame.assign DataFrame.corr DataFrame.describe DataFrame.drop
DataFrame.drop_duplicates DataFrame.dropna DataFrame.explode DataFrame.fillna DataFrame.groupby
DataFrame.head DataFrame.join DataFrame.melt DataFrame.merge DataFrame.nlargest DataFrame.pivot
DataFrame.pivot_table DataFrame.query DataFrame.rank DataFrame.rename DataFrame.replace
DataFrame.resample DataFrame.rolling DataFrame.sort_values DataFrame.stack DataFrame.to_dict
DataFrame.to_string DataFrame.transform DataFrame.unstack DataFrame.value_counts DataFrame.where
Series.map Series.str.split Series.str.extract Series.dt.strftime Series.between Series.clip
Series.cumsum Series.interpolate Series.isin Series.quantile Series.reindex Series.shift Series.unique
concat crosstab cut date_range get_dummies json_normalize merge merge_asof qcut to_datetime
to_numeric to_timedelta wide_to_long Timestamp.round Timedelta.total_seconds Categorical Interval
""".split()

UNEVEN = re.compile(
    r"random|rng|shuffle|sample\(|seed|\btime\.|perf_counter|now\(|today|uuid|getpid|\bid\(|hash\("
    r"|object at|input\(|open\(|\bexit|interact|tempfile|environ|urlopen|socket|subprocess|refcount"
    r"|plt\.|\.plot|getsizeof|gc\.|timeit|t1|setrecursionlimit|to_csv|to_excel|read_|ctime|localtime|TESTFN"
)
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
RUNNER = """
import json as _json, sys as _sys
_ns = {"__name__": "__main__"}
for _source in _json.loads(%r):
    print(">>>", _source, end="")
    try:
        exec(compile(_source, "<example>", "single"), _ns)
    except BaseException as _error:
        print(type(_error).__name__, _error)
"""
AT_ONCE = """
import contextlib, io, json, sys, warnings
programs = json.load(sys.stdin)
outputs = []
for program in programs:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    outputs.append(out.getvalue())
json.dump(outputs, sys.stdout)
"""


@dataclass(frozen=True)
class Documented:
    """The examples of one docstring."""

    name: str
    sources: tuple[str, ...]

    @property
    def program(self) -> str:
        """Each example as the interactive interpreter would run it."""
        return RUNNER % json.dumps(self.sources)


def standard(module: str) -> list[Documented]:
    """The docstrings of a module of the standard library that have examples."""
    try:
        loaded = importlib.import_module(module)
    except ImportError:
        return []
    found = doctest.DocTestFinder(exclude_empty=True).find(loaded, module)
    return _usable(found)


def documented(library: str, names: Sequence[str]) -> list[Documented]:
    """The docstrings of functions and methods of a library."""
    finder = doctest.DocTestFinder(exclude_empty=True, recurse=False)
    root = importlib.import_module(library)
    tests: list[doctest.DocTest] = []
    for name in names:
        thing: object = root
        for part in name.split("."):
            thing = getattr(thing, part)
        tests.extend(finder.find(thing, f"{library}.{name}", module=False))
    short = {"numpy": "import numpy as np", "pandas": "import pandas as pd, numpy as np"}
    return [
        Documented(each.name, (short[library] + "\n", *each.sources)) for each in _usable(tests)
    ]


def _usable(tests: list[doctest.DocTest]) -> list[Documented]:
    found: list[Documented] = []
    for test in tests:
        sources = tuple(example.source for example in test.examples)
        uneven = any(
            UNEVEN.search(e.source) or UNEVEN.search(e.want) or doctest.SKIP in e.options
            for e in test.examples
        )
        if sources and not uneven:
            found.append(Documented(test.name, sources))
    return found


def plainly(programs: list[Documented]) -> list[str]:
    """What plain CPython prints for each: one process for all of them."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AT_ONCE],
        input=json.dumps([each.program for each in programs]),
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "0", "TZ": "UTC", "LANG": "C.UTF-8"},
    )
    printed: list[str] = json.loads(done.stdout)
    return [even(text) for text in printed]


def even(text: str) -> str:
    """The text without addresses."""
    return ADDRESS.sub("0x", text)
