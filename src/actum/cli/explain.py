"""`actum explain`: the page of an error code."""

import difflib
from importlib.resources import files

import click

from actum.cli.frame import Frame
from actum.errors import UserMistake


@click.command("explain")
@click.argument("code", required=False)
@click.pass_obj
def command(frame: Frame, code: str | None) -> None:
    """Read more about an error code; without one, list them all."""
    pages = error_pages()
    if code is None:
        if frame.screen.as_json:
            frame.screen.document([{"code": c, "summary": _summary(pages[c])} for c in pages])
        else:
            for known, page in pages.items():
                frame.screen.data(f"{known:<20} {_summary(page)}")
        return
    wanted = code.removeprefix("error[").rstrip("]:")
    if wanted not in pages:
        near = difflib.get_close_matches(wanted, pages, n=1)
        raise UserMistake(
            f"there is no error code {wanted!r}",
            hints=(
                *(f"did you mean {name}?   actum explain {name}" for name in near),
                "see all of them:   actum explain",
            ),
        )
    if frame.screen.as_json:
        frame.screen.document({"code": wanted, "text": pages[wanted]})
    else:
        frame.screen.data(f"{wanted}\n\n{pages[wanted]}")


def error_pages() -> dict[str, str]:
    """The page of each code, as they stand in `errors.md` beside `errors.py`."""
    text = files("actum").joinpath("errors.md").read_text(encoding="utf-8")
    pages: dict[str, str] = {}
    for part in text.split("\n## ")[1:]:
        code, _, page = part.partition("\n")
        pages[code.strip()] = page.strip()
    return pages


def _summary(page: str) -> str:
    return page.split("\n", maxsplit=1)[0]
