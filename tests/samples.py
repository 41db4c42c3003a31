"""Tests of which `make test` runs a short form: a sample. `EXEMPLAR_TEST_LONG=1 pytest FILE` runs the long one."""

import os
from typing import TypeVar

Size = TypeVar("Size")
IS_LONG = "EXEMPLAR_TEST_LONG" in os.environ


def sample(short: Size, long: Size) -> Size:
    """Return the size of a test: that of the short form, or that of the long one."""
    return long if IS_LONG else short
