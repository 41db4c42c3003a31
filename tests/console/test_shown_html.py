"""The HTML of articles in the console and in reports."""

from console.report.document import shown_html


def test_pictures_and_boxes_become_words():
    html = (
        '<p><img alt="a &quot;b&quot; <i>" src="https://a.example/b.png"><img src="https://a.example/c.png" alt=""></p>'
        '<ul><li><input checked type="checkbox" disabled> one</li></ul>'
    )
    assert shown_html(html) == (
        '<p><span class="picture" title="https://a.example/b.png">a &#34;b&#34; &lt;i&gt;</span>'
        '<span class="picture" title="https://a.example/c.png">c.png</span></p><ul><li>☑ one</li></ul>'
    )


def test_links_tell_their_server_nothing():
    assert shown_html('<p><a href="https://a.example/">x</a></p>') == (
        '<p><a rel="noopener noreferrer nofollow" href="https://a.example/">x</a></p>'
    )


def test_html_of_an_output_is_cleaned_again():
    assert shown_html("<p onclick='x()'>one<script>x()</script><style>*{}</style></p>") == "<p>one</p>"
