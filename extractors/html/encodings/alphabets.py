"""The languages of single-byte encodings: their letters from frequent to rare, and words that distinguish them.

The data are common knowledge; the shares are round numbers, as in `guess`.
"""

import re

MARKS = "«»“”„’‘–—…·•\xa0©®°§№€"
# (share of text, characters), from frequent to rare; a character belongs to the first class that has it
ALPHABETS: dict[str, list[tuple[float, str]]] = {
    # Letters of western languages cost a little more here than there, so that a western text is not taken for this one.
    "central": [
        (0.7, "ąćęłńśźżčěňřšůžőűăş"), (0.23, "áéíóúýöüôâîţđ"), (0.02, "ďťľ"), (0.01, "ÁÉÍÓÚÖŐČŘŠŽĆĐŁŚŻŹŞŢÎ"),
        (0.05, MARKS), (0.01, "äŕĺçëßÂĂÄÜŰŮĚŇĎŤÝĽĄĘŃ"),
    ],
    "turkish": [(0.3, "ışğ"), (0.3, "çöü"), (0.1, "İŞÇÖÜĞ"), (0.08, MARKS), (0.02, "âîû")],
    "greek": [
        (0.58, "αοιετσνηρπ"), (0.26, "υκμλςδγωθφ"), (0.1, "άόέίήύώχβξζψΆ"), (0.03, "ΑΕΟΙΤΣΝΗΡΠΥΚΜΛΔΓΩΘΦΧΒΞΖΨΈΉΊΌΎΏ"),
        (0.029, MARKS), (0.001, "ϊϋΐΰΪΫ"),
    ],
    "hebrew": [(0.66, "יוהלארתבמש"), (0.31, "נעםדחקפןטכסגזץצךף"), (0.03, MARKS + "״׳־₪")],
    "arabic": [
        (0.6, "اليمونرتبة"), (0.33, "عدسفهكقحجىأشطصخذثضزغإءئآظؤ"), (0.03, "،؛؟ـ" + MARKS),
        (0.02, "پچژگکیہ"), (0.01, "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u200c\u200d"),
    ],
    "thai": [
        (0.62, "านรอกเงยมลวดทส"), (0.3, "่้ัีิะ็์ตคบปหจแใไโขพชถำุู"), (0.05, "ซผธณศษภฝฟฉญฮฐฆฎฏฑฒฌฬฤๆืึๅฯ"), (0.01, "๐๑๒๓๔๕๖๗๘๙฿"),
        (0.02, MARKS),
    ],
    "baltic": [
        (0.72, "ąčęėįšųūžāēģīķļņ"), (0.08, "õäöü"), (0.06, "ĄČĘĖĮŠŲŪŽĀĒĢĪĶĻŅÕÄÖÜ"), (0.05, MARKS),
    ],
}  # fmt: skip
# Cost of a character that the language does not have, in nats
RARE = {"central": 14.0, "turkish": 10.0, "greek": 14.0, "hebrew": 14.0, "arabic": 14.0, "thai": 14.0, "baltic": 14.0}
# Letters that only some languages of Central Europe have: one text does not contain those of two languages
_CENTRAL = ("ąćęłńśźż", "čďěňřšťůž", "čďľĺňŕšťž", "čćđšž", "őű", "ăâîşţ")
_CENTRAL_ONLY = re.compile(f"[{''.join(sorted(set(''.join(_CENTRAL)) - set('âî')))}]")
# Words in ASCII letters that distinguish languages of the Latin script; none is a word of English or of program code
_WORDS = {
    "western": """che della delle sono anche nella und der das nicht auch ist eine que los
        las para con pour les dans est avec sur och det som til ikke har het een van niet uma pela mais como por""",
    "central": """hogy egy csak vagy amely szerint azt ezt lesz ezek jest oraz przez tylko jako bardzo przed gdzie jego
        jsou bylo nebo podle jeho nebyl proto aby ktorej alebo bolo ktory koji koja koje nije samo kako bilo
        kada jer mogu svaki ker tudi lahko pentru sunt prin fost acest aceasta unui unei sau dintre foarte numai
        fiind aceste meg mert ezek akkor most minden lehet kell lett illetve pedig mely alatt majd azonban lenne
        nagy""",
    "baltic": """yra kad bei iki kaip buvo arba apie bus tik taip savo bija vai tika gada pret kura tiek""",
    "turkish": """bir ile olarak daha ama kadar sonra gibi olan veya nedir bunu onun oldu ancak kendi""",
}
_WORD = re.compile(rb"(?<![\w\x80-\xff./-])[a-z]{2,8}(?![\w\x80-\xff./-])")
_LANGUAGE_OF = {word.encode(): language for language, words in _WORDS.items() for word in words.split()}
LOOKED_AT = 65_536  # bytes of a page that are searched for words
ENOUGH_WORDS = 8  # words that are enough to identify a language


def foreign_letters(text: str) -> int:
    """Return how many letters of Central Europe do not belong to the language that has most of them."""
    letters = _CENTRAL_ONLY.findall(text)
    return len(letters) - max(sum(letter in language for letter in letters) for language in _CENTRAL)


def shares_of_words(data: bytes) -> dict[str, float]:
    """Return the share of each group of languages in the words that distinguish them, reduced if these are few."""
    found = [_LANGUAGE_OF[word] for word in _WORD.findall(data[:LOOKED_AT].lower()) if word in _LANGUAGE_OF]
    return {language: found.count(language) / max(len(found), ENOUGH_WORDS) for language in _WORDS}
