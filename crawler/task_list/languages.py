"""Codes of languages, as rows have them: ISO 639-1, zh-Hant, and three letters for languages without such a code."""

from crawler.task_list.mistakes import BadValueError, show
from extractors.metadata.language import SAME, find_language

_ISO_639_1 = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
    et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki
    kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no
    nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te
    tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
CODES = frozenset(_ISO_639_1.split()) | {"zh-Hant"}


def check_language(value: str) -> str:
    """Return a code such as zh, or the one that rows have instead; raise `BadValueError` with the one that is meant."""
    meant = find_language(value, "")
    if value in CODES or value in SAME or (meant == value and len(value) == 3):
        return SAME.get(value, value)
    raise BadValueError(
        f"unknown language {show(value)}", f"did you mean {meant}?" if meant in CODES else "write zh or en"
    )
