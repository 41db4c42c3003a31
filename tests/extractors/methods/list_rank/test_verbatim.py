from extractors.html.dom import parse
from extractors.methods.list_rank.verbatim import SameClass, list_texts


def test_rank_is_the_number_of_elements_times_the_length_of_their_text():
    like = SameClass(["ab", "cdef"])
    assert (like.rank, like.mean_length) == (12, 3)


def test_element_that_holds_everything_has_the_largest_mean():
    assert list_texts(parse("<body><p>a</p><p>b</p></body>")) == ["ab"]
