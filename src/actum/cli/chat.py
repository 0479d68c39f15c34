"""`actum chat`: a conversation in one run, with its variables kept from turn to turn."""

import asyncio
import sys
from pathlib import Path

import click

from actum.assemble import Workshop
from actum.cli.files import mount_list, mount_option
from actum.cli.frame import Frame
from actum.cli.narration import wall_text
from actum.cli.progress import Progress
from actum.cli.run import answer_text
from actum.cli.to_the_end import approver_here, steerer_here
from actum.lifecycle.live import LiveRun
from actum.lifecycle.mounts import with_here
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.starting import environment_for, start_task
from actum.loop.spending import usage_of
from actum.records.values import JSON
from actum.session.artifacts import left_files

_HELP = (
    "  /budget  what has been used     /files  what was left under out/"
    "     /run  the id of the record     /quit  end"
)


@click.command("chat")
@click.option("--tools", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--model", metavar="MODEL", help="provider:name, a URL with #name, or scripted:FILE.")
@click.option("--format", "action_format", type=click.Choice(["auto", "code", "json"]))
@mount_option
@click.pass_obj
def command(
    frame: Frame,
    *,
    tools: tuple[Path, ...],
    model: str | None,
    action_format: str | None,
    mount: tuple[str, ...],
) -> int:
    """Talk with an agent. Its variables stay from turn to turn; all of it is one record."""
    flags: dict[str, JSON] = {"format": action_format, "mounts": mount_list(mount)}
    workshop = Workshop(frame.settings(flags), frame.environ)
    return asyncio.run(_Chat(frame, workshop).talk(tools, model))


class _Chat:
    def __init__(self, frame: Frame, workshop: Workshop) -> None:
        self._frame = frame
        self._workshop = workshop
        self._say = frame.screen.narrate

    async def talk(self, tools: tuple[Path, ...], model: str | None) -> int:
        """Read a line, answer it, until there is none."""
        first = await self._ask()
        if first is None:
            return 0
        chosen, why = self._workshop.model(model)
        parts = await self._workshop.parts(
            sources=self._workshop.sources(tools),
            model=chosen,
            approver=approver_here(self._frame.screen),
            steer=steerer_here(self._frame.screen),
        )
        start, unmounted = with_here(self._workshop.start(first), Path.cwd(), self._frame.environ)
        if unmounted:
            self._say(unmounted)
        environment = await environment_for(start, parts)
        wall = "JSON calls" if environment is None else wall_text(environment)
        file = self._workshop.store()
        self._say(f"model {chosen.name} ({why}) · {wall} · record {file.run}\n{_HELP}")
        store = ObservedStore(file, Progress(self._frame.screen, sys.stderr).see)
        live = await start_task(store, start, parts)
        try:
            await self._turns(live, store)
        finally:
            await live.close()
            await store.close()
        return 0

    async def _turns(self, live: LiveRun, store: ObservedStore) -> None:
        ending = await live.go()
        while True:
            if ending.status == "done":
                self._frame.screen.data(answer_text(ending.output))
            else:
                self._say(f"{ending.status}: {ending.reason}")
            if ending.status == "paused":
                self._say(
                    f"decide: actum approve {store.run} --all   then: actum resume {store.run}"
                )
                return
            words = await self._command(store)
            if words is None:
                return
            ending = await live.say(words)

    async def _command(self, store: ObservedStore) -> str | None:
        while (words := await self._ask()) is not None:
            match words:
                case "/budget":
                    used = usage_of(store.events())
                    usd = "price not known" if used.usd is None else f"${used.usd:.3f}"
                    self._say(f"  {used.requests} requests · {used.tokens:,} tokens · {usd}")
                case "/files":
                    files = left_files(store.events())
                    told = [f"  {blob.size:>12,}  {name}" for name, blob in files.items()]
                    self._say("\n".join(told) or "  nothing yet")
                case "/run":
                    self._say(f"  {store.run}")
                case "/quit" | "/exit":
                    return None
                case _ if words.startswith("/"):
                    self._say(_HELP)
                case _:
                    return words
        return None

    async def _ask(self) -> str | None:
        """The next line with something on it; None at the end of input."""
        while True:
            if sys.stdin.isatty():
                print("> ", end="", file=sys.stderr, flush=True)
            line = await asyncio.to_thread(sys.stdin.readline)
            if not line:
                return None
            if line.strip():
                return line.strip()
