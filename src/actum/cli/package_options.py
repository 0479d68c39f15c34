"""`--packages`: what programs may import beside what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from actum.assemble import Workshop
    from actum.cli.screen import Screen
    from actum.records.values import JSON

packages_option = click.option(
    "--packages",
    metavar="A,B",
    multiple=True,
    help="Packages that programs may import beside what is installed; also a wheel or a lock file.",
)


def package_list(given: tuple[str, ...]) -> JSON:
    """As a setting; None where the flag was not given."""
    from actum.places.packages.asked import split

    return [name for text in given for name in split(text)] or None


def tell_of_packages(screen: Screen, workshop: Workshop) -> None:
    """Say it before something takes longer than a program does."""
    notice = workshop.packages_notice()
    if notice is not None:
        screen.notice(notice)
