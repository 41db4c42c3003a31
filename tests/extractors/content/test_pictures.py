import lxml.html
import pytest

from extractors.content.pictures import alternative, background_url, picture_url

BASE = "https://gazette.example/town/1"


def url_of(html):
    element = lxml.html.fragment_fromstring(html)
    return picture_url(element if element.tag == "img" else element.find(".//img"), BASE)


@pytest.mark.parametrize(
    "html",
    [
        "<img src=/p.jpg>",
        "<img src=//gazette.example/p.jpg>",
        "<img src=/s.jpg srcset='/s.jpg 300w, /p.jpg 1200w, /m.jpg 600w'>",
        "<img src=/s.jpg srcset='/s.jpg 1x,/p.jpg 2x'>",
        "<img srcset='/p.jpg'>",
        "<img srcset='/c_fill,w_300/a.jpg 300w, /p.jpg 600.5w'>",
        "<img srcset='data:image/gif;base64,R0 2000w, /p.jpg 9w'>",
        "<picture><source srcset='/p.jpg 900w'><img src=/s.jpg></picture>",
        "<img src=data:image/gif;base64,R0lGOD data-src=/p.jpg>",
        "<img src=/images/blank.gif data-original=/p.jpg>",
        "<img src=/loading.gif data-lazy-src=/p.jpg>",
        "<img src=/static/none.gif file=p.jpg zoomfile=/p.jpg>",
        "<img class=lazyload data-srcset='/p.jpg 800w' src=/placeholder.png>",
        "<img data-actualsrc=/p.jpg>",
        "<img data-ks-lazyload=/p.jpg src=//assets.example/s.gif>",
        "<img src=/p.jpg data-lazy=true data-original=1>",
        "<img src=/1.gif data-pagespeed-lazy-src=/p.jpg>",
        "<img src=/spinner.gif data-lazysrc=/p.jpg>",
        "<img src=/p.jpg srcset='blank.gif, /stat.php?n=1 900w, /static/lazy-load.png 900w'>",
    ],
)
def test_the_picture_that_a_page_shows_however_it_loads_it(html):
    assert url_of(html) == "https://gazette.example/p.jpg"


@pytest.mark.parametrize(
    "html",
    [
        "<img src=/p.jpg width=1 height=1>",
        "<img src=/p.jpg width=24>",
        "<img src=/images/spacer.gif>",
        "<img src=spacer.gif>",
        "<img src=/static/Pixel/?id=1.gif>",
        "<img src=/p.jpg class='avatar photo'>",
        "<img src=/p.jpg alt=二维码>",
        "<img src=/smile.png class=wp-smiley>",
        "<img src=/static/image/smiley/default/smile.gif>",
        "<img src=/images/copycode.gif alt=复制代码>",
        "<img src=/static/spinner.gif>",
        "<img src=/1.png class=latex alt=x>",
        "<img src=data:image/png;base64,AAAA>",
        "<img src=/ueditor/dialogs/attachment/fileTypeImages/icon_doc.gif>",
        "<img src=javascript:x()>",
        "<img>",
    ],
)
def test_a_decoration_is_no_picture(html):
    assert url_of(html) is None


def test_a_background_is_the_picture_of_a_figure():
    box = lxml.html.fragment_fromstring("<div style=\"background:#fff url('/p.jpg') 0 0\"></div>")
    assert background_url(box, BASE) == "https://gazette.example/p.jpg"
    assert (
        background_url(lxml.html.fragment_fromstring("<div data-bg=/p.jpg></div>"), BASE)
        == "https://gazette.example/p.jpg"
    )
    assert background_url(lxml.html.fragment_fromstring("<div style='color:red'></div>"), BASE) is None


def test_an_alternative_text_is_one_short_line():
    assert alternative(lxml.html.fragment_fromstring(f"<img alt='a\n  b {'c' * 400}'>")).startswith("a b c")
    assert len(alternative(lxml.html.fragment_fromstring(f"<img alt='{'c' * 400}'>"))) == 300
