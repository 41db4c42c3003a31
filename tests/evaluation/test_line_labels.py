from evaluation.line_labels import line_labels


def test_words_met_by_chance_do_not_count():
    share, _ = line_labels(["All about the harbour and the mill"], "The mill stands by the harbour. It is old.")
    assert share.tolist() == [0]


def test_short_lines_count_where_they_stand_in_order():
    share, _ = line_labels(["Ferries", "They sail again on Monday."], "Ferries\n\nThey sail again on Monday.")
    assert share.tolist() == [1, 1]


def test_chinese_characters_are_words():
    share, words = line_labels(["渡口昨天重新开放了。"], "渡口昨天重新开放了。")
    assert (share.tolist(), words.tolist()) == ([1], [9])


def test_of_repeated_words_those_in_one_place_with_the_rest_are_the_body():
    first, second = "The tide came in before noon on Sunday.", "It went out at six in the evening."
    for lines in ([first, "The mill", first, second], [first, second, "The mill", second]):
        share, _ = line_labels(lines, f"{first}\n\n{second}")
        assert share.tolist() == ([0, 0, 1, 1] if lines[1] == "The mill" else [1, 1, 0, 0])
