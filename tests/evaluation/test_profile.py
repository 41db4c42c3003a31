from evaluation.profile import STEPS, main

from . import layouts


def test_profile_names_every_step_with_a_figure(tmp_path, capsys):
    assert main([str(layouts.normalised(tmp_path / "data"))]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.split()[4:] == [f"×{step}" for step in STEPS]
    size, pages, *figures = row.split()
    assert (size, pages) == ("light", "3")
    assert all(float(figure) > 0 for figure in figures)


def test_folder_without_data_is_named(tmp_path, capsys):
    assert "nothing" in layouts.mistake(main, [tmp_path / "nothing"], capsys)
