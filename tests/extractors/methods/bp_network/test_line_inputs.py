from extractors.methods.bp_network.line_inputs import markup_lengths


def test_scripts_comments_and_empty_pairs_are_no_markup():
    html = "<p>One</p><!-- <b> --><script>x</script><a href='#'></a><p>Two</p>"
    assert markup_lengths(html, ["One", "Two"]).tolist() == [len("<p>"), len("</p><p>")]


def test_a_line_that_is_not_in_the_source_has_no_markup():
    assert markup_lengths("<p>One</p>", ["Two", "One"]).tolist() == [0, len("<p>")]
