"""Secrets are taken out of what comes back, in each way that they usually travel."""

import base64
import itertools
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.gate.masking import Masking, StreamMasking
from tests.promises import promise

SECRETS = ("sk_live_4eC39Hq", 'a"b\\c/d e+ü€f', "p@ss/word+1=", "1234567890", "\nline\tbreak\n")
OTHERS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)


def ways(value: str, before: bytes = b"", after: bytes = b"") -> dict[str, str]:
    """The value inside of something, in every listed encoding."""
    whole = before + value.encode() + after
    text = f"{before.decode()}{value}{after.decode()}"
    return {
        "exact": text,
        "json": json.dumps(text),
        "json, unicode": json.dumps(text, ensure_ascii=False),
        "json in json": json.dumps({"inner": json.dumps({"s": text})}),
        "url": quote(text, safe=""),
        "url, small": quote(text, safe="").lower(),
        "form": quote_plus(text),
        "hex": whole.hex(),
        "HEX": whole.hex().upper(),
        "base64": base64.b64encode(whole).decode(),
        "base64, url": base64.urlsafe_b64encode(whole).decode(),
        "base64 in a url": quote(base64.b64encode(whole).decode(), safe=""),
        "base64 in json": json.dumps(base64.b64encode(whole).decode()).replace("/", "\\/"),
    }


@promise("secret:masked")
@pytest.mark.parametrize("value", SECRETS)
@given(before=OTHERS, after=OTHERS)
def test_a_secret_is_found_in_every_listed_encoding(value: str, before: str, after: str) -> None:
    masking = Masking({"stripe": value})
    for way, text in ways(value, before.encode(), after.encode()).items():
        assert "[secret stripe]" in masking.text(text), (way, text)
        assert "[secret stripe]" in str(masking.value([{"k": text}])), way
        body = masking.body(json.dumps({"number": 1, "text": text}))
        assert json.loads(body)["number"] == 1
        assert "[secret stripe]" in body, way


@promise("secret:masked")
@pytest.mark.parametrize("value", SECRETS)
@given(data=st.data())
def test_a_secret_in_pieces_is_found(value: str, data: st.DataObject) -> None:
    way = data.draw(st.sampled_from(sorted(ways(value))))
    text = f"before {ways(value)[way]} after {value}"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    masking = Masking({"stripe": value})
    stream = StreamMasking(masking)
    ends = [0, *cuts, len(text)]
    pieces = [stream.take("stdout", text[a:b]) for a, b in itertools.pairwise(ends)]
    pieces += stream.rest().values()
    assert "".join(pieces) == masking.text(text)


@given(st.text(), st.binary())
def test_what_holds_no_secret_stays_as_it_is(text: str, content: bytes) -> None:
    masking = Masking({"a": "nobody-writes-this", "short": "1234567"})
    stream = StreamMasking(masking)
    assert masking.text(text) == text
    assert masking.data(content) == content
    assert stream.take("stdout", text) + "".join(stream.rest().values()) == text


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"k": 12345678}, {"k": "[secret n]"}),
        ({"12345678": [True, 1.5, None]}, {"[secret n]": [True, 1.5, None]}),
        (1234567, 1234567),
        (
            {"$bytes": base64.b64encode(b"x12345678").decode()},
            {"$bytes": base64.b64encode(b"x[secret n]").decode()},
        ),
    ],
)
def test_data_stays_data(value: Any, clean: Any) -> None:
    masking = Masking({"n": "12345678"})
    assert masking.value(value) == clean
    assert json.loads(masking.body(json.dumps({"v": value}))) == {"v": clean}


def test_one_secret_inside_another_and_two_names_for_one() -> None:
    masking = Masking({"long": "abcdefgh-ijklmnop", "short": "abcdefgh"})
    assert masking.text("abcdefgh-ijklmnop abcdefgh") == "[secret long] [secret short]"
    assert not Masking({})
    assert not Masking({"short": "1234567"})
