"""An order travels as letters that no shell changes, and reads back whole."""

import base64
import json
import zlib

import pytest

from transom.model.order import Order, read_order, write_order

ORDER = Order(verb="survey", options=("--run", "a"), input={"token": "a.b", "name": "win-\u00e9"})


def test_an_order_reads_back_whole():
    assert read_order(write_order(ORDER).decode()) == ORDER


def test_an_order_is_json_deflated_in_plain_letters():
    text = write_order(ORDER)
    document = json.loads(zlib.decompress(base64.b64decode(text)))
    assert document["verb"] == "survey"
    assert text.isascii()
    assert text.endswith(b"\n")


def test_an_order_may_come_as_plain_json():
    assert read_order('{"verb": "plan"}') == Order(verb="plan")


@pytest.mark.parametrize("text", ["", "!", "eJw=", "[]", '{"verb": "plan", "kind": "Recipe"}'])
def test_whatever_else_is_no_order(text):
    with pytest.raises(ValueError, match=r"."):
        read_order(text)
