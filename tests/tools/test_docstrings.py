"""Docstrings of every common style say the same."""

import pytest

from actum.tools.docstrings import parameter_texts, summary

GOOGLE = """Refund a payment.

    In whole or in part.

    Args:
        payment (str): which one
        cents: how much,
            all of it by default
        **more: what else

    Returns:
        cents: not a parameter
    """
NUMPY = """Refund a payment.

    In whole or in part.

    Parameters
    ----------
    payment : str
        which one
    cents
        how much,
        all of it by default
    **more
        what else

    Returns
    -------
    cents : int
        not a parameter
    """
REST = """Refund a payment.

    In whole or in part.

    :param payment: which one
    :type payment: str
    :param int cents: how much,
        all of it by default
    :param more: what else
    :returns: not a parameter
    """
EPYTEXT = """Refund a payment.

    In whole or in part.

    @param payment: which one
    @param cents: how much,
        all of it by default
    @param more: what else
    @return: not a parameter
    """


@pytest.mark.parametrize(
    "text", [GOOGLE, NUMPY, REST, EPYTEXT], ids=["google", "numpy", "rest", "epytext"]
)
def test_each_style_is_read(text: str) -> None:
    assert summary(text) == "Refund a payment.\n\nIn whole or in part."
    assert parameter_texts(text) == {
        "payment": "which one",
        "cents": "how much, all of it by default",
        "more": "what else",
    }


def test_plain_text_is_a_summary_alone() -> None:
    assert summary("Note: this is text.\nMore.") == "Note: this is text.\nMore."
    assert parameter_texts("Note: this is text.") == {}
    assert (summary(None), parameter_texts(None)) == ("", {})
