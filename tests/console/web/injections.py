"""Texts that would run as script if they were inserted into a page unescaped, made by rules."""

import random
from collections.abc import Iterator
from itertools import product

CALLS = (
    "__ran()", "top.__ran()", "self['__ran']()", "alert(1)", "__ran`1`", "window['\\x5f_ran']()", "eval('__ran()')",
)  # fmt: skip
HANDLERS = ("onerror", "onload", "onclick", "onfocus", "onmouseover", "onanimationstart", "ontoggle", "onpointerenter")
ELEMENTS = (
    "img src=x", "svg", "body", "input autofocus", "details open", "video src=x", "iframe src=/", "a href=/", "marquee",
    "object data=x", "button popovertarget=x", "math", "style", "link rel=stylesheet href=x",
)  # fmt: skip
BREAKS = (
    "", '"', "'", '">', "'>", "-->", "</title>", "</textarea>", "</script>", "</style>", "]]>", "</svg>", "</option>",
    "%>", "{{", "{%", "\u2028", "`", "\\", "&quot;>", "&#34;>", "\x00", "</p></div></main>",
)  # fmt: skip
SCHEMES = (
    "javascript:", "JaVaScRiPt:", "java\tscript:", "java\nscript:", " javascript:", "\x01javascript:", "vbscript:",
)  # fmt: skip
WATCH = """
window.__runs = 0;
window.__ran = () => { window.__runs += 1; };
window.__violations = [];
addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.violatedDirective));
"""  # for a page before its own scripts: counts what runs
SHAPES = (
    "{b}<script>{c}</script>",
    "{b}<script/x>{c}</script >",
    "{b}<{e} {h}={c}>",
    "{b}<{e} {h}='{c}'>",
    '{b}<{e}\n{h}="{c}">',
    "{b}<{e}/{h}={c}//",
    "{b} {h}={c} autofocus x=",
    "{b}<a href='{s}{c}'>x</a>",
    "{s}{c}",
    "{b}<svg><script>{c}</script>",
    "{b}<iframe srcdoc='<script>{c}</script>'>",
    "{b}<meta http-equiv=refresh content='0;url={s}{c}'>",
    "{b}<form action={s}{c}><button autofocus>",
    "{b}<base href={s}{c}//>",
    "{b}{{{{ cycler.__init__.__globals__ }}}}<{e} {h}={c}>",
    "{b}<style>@import '{s}{c}';</style>",
)


def injections(number: int = 6000, seed: int = 16) -> list[str]:
    """Return so many different texts, the same ones for the same seed."""
    dice = random.Random(seed)
    texts: dict[str, None] = {}
    for text in _in_turn(dice):
        texts[text] = None
        if len(texts) == number:
            break
    return [*texts]


def _in_turn(dice: random.Random) -> Iterator[str]:
    yield from (shape.format(b="", c=CALLS[0], e=ELEMENTS[0], h=HANDLERS[0], s=SCHEMES[0]) for shape in SHAPES)
    for shape, start in product(SHAPES, BREAKS):
        yield shape.format(
            b=start, c=dice.choice(CALLS), e=dice.choice(ELEMENTS), h=dice.choice(HANDLERS), s=SCHEMES[1]
        )
    while True:
        yield dice.choice(SHAPES).format(
            b=dice.choice(BREAKS) + dice.choice(BREAKS),
            c=dice.choice(CALLS),
            e=dice.choice(ELEMENTS),
            h=dice.choice(HANDLERS),
            s=dice.choice(SCHEMES),
        )
