from collections.abc import Iterator

import pytest

from extractors.html.walk import in_python


@pytest.fixture(params=["compiled", "Python"])
def form_of_walk(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test in both forms of the walk, where there is a compiled one.

    Tests of what is made from the lines run in one: `test_walk` compares all that both forms give, and whole articles.
    """
    if request.param == "Python":
        with in_python():
            yield
    else:
        yield
