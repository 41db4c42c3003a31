import pytest

from extractors.errors import TrainingMistakes, needs
from extractors.training import run


def interrupted():
    raise KeyboardInterrupt


def mistaken():
    raise TrainingMistakes("a.html: no words", "b.html: no words")


@pytest.mark.parametrize(
    ("work", "code", "said"),
    [
        (interrupted, 130, "stopped; nothing was written\n"),
        (mistaken, 2, "a.html: no words\nb.html: no words\n"),
        (lambda: needs("a_package_of_nobody", "train"), 2, "extra train is not installed"),
    ],
)
def test_the_exit_code_tells_how_a_training_ended(tmp_path, capsys, work, code, said):
    assert run(work, tmp_path) == code
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_the_result_is_printed(tmp_path, capsys):
    assert run(lambda: "weights: a.json", tmp_path) == 0
    assert capsys.readouterr().out == "weights: a.json\n"
