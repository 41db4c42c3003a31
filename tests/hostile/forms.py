"""Hostile forms: pieces that are repeated, since backtracking and nesting need many of the same."""

PIECES = (
    "<", ">", ">>", "<!--", "<!-- -->", "--!>", "<?x", "<!DOCTYPE a [<", "<![CDATA[", "]]>", "&", "&#", "&amp;",
    "&lt;", "&#55357;", "&#55357;&#56832;", "&#27;", "<a>", "<a ", "<a b='", "</", "</a>", "<p>", "<p", "<div>",
    "<div><", "<o:p>", "<b><i>", "<li><a href=/1>", "<td><b>", "<svg>", "<script>", "<script", "<select>",
    "<template>", "<table>", "<form>", "<h1>", "<h1", "<title>", "<meta ", "<br>", "<img src=a>", "<time>", "<pre>",
    "<div hidden>", "<b data-url=/1>", "</html>", "</body><!--", "<button><p><p><p><p>", "<item>", "<item><title>",
    "<url><loc>", '"', "'", "=", " ", "\t", "\n", "\r", "/", "//", "/.", "/..", "\\", "\\\\", "?", "?page=", "#", "%",
    "%2", "%41", "-", "--", "_", ".", ":", "::", ";", "; ", ",", "|", " | ", "[", "]", "{", "}", "(", ")", "@", "!",
    "+", "*", "$", "~", "^", "0", "1", "1 ", "1_", "2024 ", "2024-01-02 ", "12:34 ", "12", "年", "1月", "一", "年 ",
    "a", "a ", "a-", "A ", "Ab", "é", "中", "中 ", "\u3000", "\x00", "\x01", "\x1b[2J", "\x80", "\x9b",
    "\u202e", "\ufffd",
    "https://", "http://a:", "token", "token=", "token=${", "password:", "cookie", "authorization ", "charset",
    "charset =", "rel=", "rel= ", "next ", "next", "<a>;", '{"a":', '{"url":"', '"\\', "\\u0000", "by ", "By A ",
    "Jan ", "jan 1 ", "ago ", "page ", "第", "»", "»›", "*a", "user-agent: a\n", "disallow: /*a\n", "sitemap:",
    "noindex:", "来源：",
)  # fmt: skip
