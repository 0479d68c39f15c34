"""Every body stands in the file as one text, and comes back from it."""

import msgspec
import pytest
from hypothesis import given

from actum.records.events import AnyBody, Newer, decode_body, encode_body
from tests.journal.bodies import ANY_BODY


@given(ANY_BODY)
def test_a_body_comes_back_from_its_text_as_it_was(body: AnyBody) -> None:
    text = encode_body(body)
    assert decode_body(body.kind, text) == body
    assert encode_body(decode_body(body.kind, text)) == text


def test_a_kind_that_is_not_known_is_kept_field_by_field() -> None:
    body = decode_body("hologram", '{"z":1,"a":[true,null]}')
    assert body == Newer(fields={"z": 1, "a": [True, None]})
    assert encode_body(body) == '{"z":1,"a":[true,null]}'


def test_a_text_that_is_no_body_is_refused() -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_body("tool.call", '{"number":"one"}')
