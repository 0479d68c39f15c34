"""The table of promises itself."""

import pytest

from tests.promises import PROMISES, promise


def test_a_test_cannot_be_marked_with_a_promise_that_was_never_made() -> None:
    with pytest.raises(KeyError, match="write it down"):
        promise("wall:unheard-of")


def test_each_promise_is_one_sentence() -> None:
    assert all(sentence.endswith(".") for sentence in PROMISES.values())
