import numpy as np
import pytest

from extractors.methods.bp_network.line_inputs import line_values, markup_lengths, source_values, with_neighbours
from tests.extractors.pages import parsed

HTML = """<html><head><title>Tide - Gazette</title></head><body><script>var x = "<p>no</p>"</script>
<ul><li><a href="/1">Home page</a></li></ul><p>The tide rises and <b>falls</b> twice a day.</p></body></html>"""


def test_values_of_a_line():
    lines = parsed(HTML).lines
    values = line_values(lines, ("tide",))
    link, prose = len("Home page"), len("The tide rises and falls twice a day.")
    assert lines.texts == ["Home page", "The tide rises and falls twice a day."]
    assert values[0] == pytest.approx([np.log1p(link), np.log1p(2 * link), 0.5, 0])
    assert values[1] == pytest.approx([np.log1p(prose), np.log1p(prose), 1, 1])


def test_source_values_count_the_markup():
    values = source_values(parsed(HTML).lines, ("tide",), HTML)
    y = len("The tide rises and falls twice a day.")
    z = y + len("</a></li></ul><p><b></b>")
    assert values[1].tolist() == [y, z, y / z, len("tide")]


def test_neighbours_follow_the_lines_own_values():
    inputs = with_neighbours(np.arange(12.0).reshape(3, 4))
    assert inputs.tolist()[1] == [4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11]


def test_scripts_comments_and_empty_pairs_are_no_markup():
    html = "<p>One</p><!-- <b> --><script>x</script><a href='#'></a><p>Two</p>"
    assert markup_lengths(html, ["One", "Two"]).tolist() == [len("<p>"), len("</p><p>")]


def test_a_line_that_is_not_in_the_source_has_no_markup():
    assert markup_lengths("<p>One</p>", ["Two", "One"]).tolist() == [0, len("<p>")]
