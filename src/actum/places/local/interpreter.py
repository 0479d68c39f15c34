"""Which interpreter runs programs, and what of the machine it must be able to read."""

import hashlib
import importlib.util
import os
import py_compile
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

import msgspec

from actum.places import guest
from actum.places.local import launch
from actum.places.packages.contents import PackageSet

USUAL_PRELOAD = ("numpy", "pandas")
MACHINE_PREFIXES = ("/", "/usr", "/usr/local")
LIBRARY_FOLDERS = ("/lib64", "/usr/lib64", "/lib/{multiarch}", "/usr/lib/{multiarch}")
LINKER_CACHE = "/etc/ld.so.cache"
FACTS_OF_THE_MACHINE = (
    "/usr/share/zoneinfo",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)
WELL_KNOWN = (
    "numpy",
    "pandas",
    "matplotlib",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
    "statsmodels",
    "duckdb",
    "openpyxl",
    "sympy",
    "networkx",
    "PIL",
    "bs4",
    "yaml",
    "requests",
)
"""Modules that programs about data often want, the most wanted first."""
TESTS = r"[/\\]tests[/\\]"
DEVICES = ("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class Interpreter(msgspec.Struct, frozen=True, kw_only=True):
    """A Python and its packages."""

    executable: str
    version: str
    library: tuple[str, ...]
    """Folders of the standard library and of what it links to."""
    packages: tuple[str, ...]
    """Folders of installed packages; the first that has a module wins."""
    package_set: PackageSet | None = None
    """What was asked for beside the default environment."""

    def readable(self) -> tuple[str, ...]:
        """Every path that a session may read, beside its own folder."""
        multiarch = str(sysconfig.get_config_var("MULTIARCH") or "")
        shared = [folder.format(multiarch=multiarch) for folder in LIBRARY_FOLDERS]
        loaders = [*sorted(str(path) for path in Path("/lib").glob("ld-*")), LINKER_CACHE]
        own = [folder_of(guest.__file__), folder_of(launch.__file__)]
        wanted = [*self.library, *self.packages, *shared, *loaders, *own, FACTS_OF_THE_MACHINE[0]]
        return tuple(path for path in dict.fromkeys(wanted) if Path(path).exists())

    def readable_beside(self) -> tuple[str, ...]:
        """What a session reads where it stands in the machine's own tree of files."""
        return (*self.readable(), *FACTS_OF_THE_MACHINE[1:], *DEVICES)

    def has(self, module: str) -> bool:
        """Whether a top-level module is among the packages."""
        return any(
            Path(folder, module).is_dir() or Path(folder, f"{module}.py").is_file()
            for folder in self.packages
        )

    def well_known(self) -> tuple[str, ...]:
        """What is worth telling of: the packages that were asked for, and the usual ones."""
        asked = self.package_set.names if self.package_set is not None else ()
        return tuple(dict.fromkeys((*asked, *filter(self.has, WELL_KNOWN))))

    def installed(self) -> list[str]:
        """The names and versions of what is installed, as the folders say them."""
        return sorted(
            path.name for folder in self.packages for path in Path(folder).glob("*.dist-info")
        )


def folder_of(file: str | None) -> str:
    """The folder of a module."""
    return str(Path(file or ".").resolve().parent)


def this_interpreter(package_set: PackageSet | None = None) -> Interpreter:
    """The Python that runs us, without the virtual environment's wrapping."""
    own = (package_set.folder,) if package_set is not None else ()
    return Interpreter(
        executable=str(getattr(sys, "_base_executable", None) or sys.executable),
        version=sys.version,
        library=tuple(library_folders()),
        packages=(*own, *(path for path in package_folders() if Path(path).is_dir())),
        package_set=package_set,
    )


def library_folders() -> list[str]:
    """The standard library, with the whole of a prefix of its own: its shared libraries are there."""
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    standard = {
        str(Path(sys.base_prefix) / Path(path).relative_to(sys.prefix))
        if sys.prefix != sys.base_prefix and Path(path).is_relative_to(sys.prefix)
        else path
        for path in standard
    }
    prefix = str(Path(sys.base_prefix).resolve())
    if prefix == "/usr/local":
        return ["/usr/local/lib"]
    if prefix in MACHINE_PREFIXES:
        return sorted(standard)
    return [str(Path(sys.base_prefix) / "lib")]


def package_folders() -> list[str]:
    """Where packages of this environment are installed; no `.pth` file is followed."""
    own = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if sys.prefix == sys.base_prefix:
        own += site.getsitepackages()
    return list(dict.fromkeys(own))


def compile_ahead() -> None:
    """Compile what the fresh interpreter imports: it may not write, and would do it every time."""
    for package in (guest, launch):
        for source in Path(folder_of(package.__file__)).glob("*.py"):
            compiled = Path(importlib.util.cache_from_source(str(source)))
            try:
                if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
                    py_compile.compile(str(source), doraise=False, quiet=2)
            except OSError:
                return


def compile_packages(interpreter: Interpreter, preload: tuple[str, ...]) -> None:
    """Compile the libraries to be preloaded, if whoever installed them has not. Done once.

    Nothing of them is executed. Without it every zygote would compile them anew: it may not write.
    """
    wanted = [
        Path(folder, module)
        for folder in interpreter.packages
        for module in preload
        if Path(folder, module, "__init__.py").is_file()
    ]
    missing = [str(path) for path in wanted if not (path / "__pycache__").is_dir()]
    if missing and all(os.access(path, os.W_OK) for path in missing):
        command = [interpreter.executable, "-S", "-s", "-P", "-m", "compileall", "-q", "-x", TESTS]
        subprocess.run([*command, *missing], env={}, check=False, capture_output=True)


def digest_of_code() -> str:
    """A hash over all that runs in a session before the program does."""
    digest = hashlib.sha256()
    for package in (guest, launch):
        for source in sorted(Path(folder_of(package.__file__)).glob("*.py")):
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()
