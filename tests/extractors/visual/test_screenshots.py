import numpy as np
import pytest

from evaluation.sample_site import IMAGE, render_site
from extractors.errors import ExtraMissing, needs
from extractors.visual.screenshot_type import SIDE, UnreadableImage, centred, is_blank, read_png
from tests.extractors.visual.pictures import article, png

pytest.importorskip("PIL", reason="extra vision is not installed")


def test_a_picture_becomes_224_by_224_grey_pixels_from_black_to_white():
    half = np.zeros((60, 40), np.uint8)
    half[:, 20:] = 255
    grey = read_png(png(half))
    assert grey.shape == (SIDE, SIDE)
    assert grey.dtype == np.float32
    assert grey[:, :100].max() == 0
    assert grey[:, 130:].min() == 1


def test_a_pixel_is_the_mean_of_the_area_that_it_stands_for():
    chessboard = (np.indices((448, 448)).sum(axis=0) % 2 * 200).astype(np.uint8)
    assert np.allclose(read_png(png(chessboard)), 100 / 255)


def test_colours_become_grey():
    assert 0.2 < read_png(render_site("")[IMAGE].body).mean() < 0.9


@pytest.mark.parametrize("data", [b"", b"<html>", png(article())[:60], b"GIF89a" + b"\0" * 50])
def test_what_is_no_png_is_unreadable(data):
    with pytest.raises(UnreadableImage):
        read_png(data)


def test_a_picture_that_claims_to_be_enormous_is_not_unpacked():
    with pytest.raises(UnreadableImage, match=r"100000 × 9000 pixels|exceeds limit"):
        read_png(png(article(), claimed=(100_000, 9_000)))


def test_a_page_without_anything_is_blank_and_one_line_of_text_is_not():
    white = np.full((1024, 342), 255, np.uint8)
    assert is_blank(read_png(png(white)))
    white[40:44, 20:200] = 0
    assert not is_blank(read_png(png(white)))


def test_a_dark_page_is_a_light_one_but_for_its_sign():
    light = read_png(png(article()))[None]
    assert np.allclose(centred(1 - light), -centred(light), atol=1e-4)
    assert centred(light).std() == pytest.approx(1, abs=1e-3)


def test_a_missing_package_is_told_with_its_extra():
    with pytest.raises(ExtraMissing, match=r"extra vision is not installed: pip install 'exemplar-crawler\[vision\]'"):
        needs("no_such_package", "vision")
