"""`actum models`: what can be asked here, why, and what it costs."""

import os

import click
import msgspec

from actum.cli.frame import Frame
from actum.errors import NoModel
from actum.models.choice import choose_model, key_variable
from actum.models.prices import DATE, PRICES
from actum.models.providers import PROVIDERS
from actum.records.values import JSON


@click.command("models")
@click.pass_obj
def command(frame: Frame) -> None:
    """List the providers, their keys by name, the model that would be asked, and known prices."""
    settings = frame.settings()
    try:
        choice = choose_model(None, os.environ, configured=settings.model)
        chosen: JSON = {"model": choice.spec, "why": choice.why}
        line = f"{choice.spec} ({choice.why})"
    except NoModel as error:
        chosen, line = None, f"none: {error.message}"
    providers: list[dict[str, JSON]] = [
        {
            "name": provider.name,
            "variable": key_variable(provider, os.environ) or None,
            "default": provider.default_model or None,
            "local": provider.local,
        }
        for provider in PROVIDERS
    ]
    if frame.screen.as_json:
        prices: JSON = {name: msgspec.to_builtins(price) for name, price in PRICES.items()}
        known: list[JSON] = [*providers]
        frame.screen.document(
            {"chosen": chosen, "providers": known, "prices": prices, "date": DATE}
        )
        return
    frame.screen.data(f"would ask: {line}")
    for provider in providers:
        have = provider["variable"] or ("on this machine" if provider["local"] else "no key")
        frame.screen.data(f"  {provider['name']!s:<16} {have!s:<22} {provider['default'] or ''}")
    frame.screen.data(f"prices as of {DATE}, USD for a million tokens (input, cached, output):")
    for name, price in PRICES.items():
        figures = f"{price.input:>8.2f} {price.cached:>8.3f} {price.output:>8.2f}"
        frame.screen.data(f"  {name:<32} {figures}")
