import lxml.html
import pytest

from extractors.content.code_language import code_language

LANGUAGES = {  # what highlighters of these languages write
    "python": [
        "<pre><code class='language-python'>x</code></pre>",
        "<pre class='line-numbers language-python'><code>x</code></pre>",
        "<pre><code class='hljs python'>x</code></pre>",
        "<pre><code class='python hljs'>x</code></pre>",
        "<pre class='brush: python; gutter: false'>x</pre>",
        "<pre class='prettyprint lang-python'>x</pre>",
        "<pre data-language=python><code>x</code></pre>",
        "<pre class=EnlighterJSRAW data-enlighter-language=python>x</pre>",
        "<pre class='lang:python decode:true'>x</pre>",
        "<pre class='sourceCode python'><code class='sourceCode python'>x</code></pre>",
        "<div class='language-python highlighter-rouge'><div class=highlight><pre class=highlight>x</pre></div></div>",
        "<div class='highlight highlight-source-python'><pre>x</pre></div>",
        "<div class='highlight-python notranslate'><div class=highlight><pre>x</pre></div></div>",
        "<figure class='highlight python'><table><tr><td class=code><pre>x</pre></td></tr></table></figure>",
        "<div class=highlight><pre class=chroma><code class=language-python data-lang=python>x</code></pre></div>",
    ],
    None: [
        "<pre>x</pre>",
        "<pre class=highlight><code class=language-plaintext>x</code></pre>",
        "<pre class='wp-block-code'>x</pre>",
    ],
}


@pytest.mark.parametrize(("language", "html"), [(name, html) for name, forms in LANGUAGES.items() for html in forms])
def test_the_language_that_a_highlighter_wrote(language, html):
    root = lxml.html.document_fromstring(f"<body><article class='post language-go python'>{html}</article></body>")
    assert code_language(root.find(".//pre")) == language
