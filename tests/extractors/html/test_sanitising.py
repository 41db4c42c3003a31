import pytest

from extractors.html.sanitising import sanitise


@pytest.mark.parametrize(
    ("html", "clean"),
    [
        ("<a href='/x'>a</a><a href='ftp://a.example/'>b</a>", "<a>a</a><a>b</a>"),
        ("<img src='//a.example/p.jpg' alt='a'>", '<img alt="a">'),
        ("<code class='evil'>a</code>", "<code>a</code>"),
        ("<code class='language-c++'>b</code>", '<code class="language-c++">b</code>'),
        ("<td colspan=9999>a</td>", "a"),
        (
            "<table><tr><td colspan='9999' rowspan=2>a</table>",
            '<table><tbody><tr><td rowspan="2">a</td></tr></tbody></table>',
        ),
        ("<ol start='x'><li value=3>a</ol>", '<ol><li value="3">a</li></ol>'),
        ("<input type=text><input type=checkbox>", '<input><input type="checkbox">'),
        ("<p id=x style='color:red' class=y onclick=z>a<script>b</script><style>c</style></p>", "<p>a</p>"),
    ],
)  # fmt: skip
def test_only_what_is_allowed_remains(html, clean):
    assert sanitise(html) == clean
