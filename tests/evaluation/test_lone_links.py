import gzip
import json

from evaluation.lone_links import main

from ..extractors.pages import BAKERY, HARBOUR
from .layouts import row, write

PROSE = "".join(f"<p>{text}</p>" for text in HARBOUR)
MORE = "".join(f"<p>{text}</p>" for text in BAKERY)
WRITTEN = "<p>Downloads:</p><p><a href=/map.pdf>The map of the harbour</a></p>"
LOST = "<nav><p><a href=/b>The gauge and its repairs</a></p></nav>"


def test_shares_of_text_in_links(tmp_path, capsys):
    html = f"<h1>Tide</h1><main>{PROSE}{WRITTEN}{LOST}{MORE}</main>"
    body = "\n\n".join([*HARBOUR, "Downloads:", "The map of the harbour", "The gauge and its repairs", *BAKERY])
    write(tmp_path / "data" / "sites" / "harbour", [(row("a", body=body), html)])
    assert main([str(tmp_path / "data")]) == 0
    assert capsys.readouterr().out.startswith("harbour: 0.462 of 39 letters kept, 0.00%")
    with gzip.open(tmp_path / "harbour.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"file": "pages/a.html", "html": PROSE + WRITTEN + MORE}) + "\n")
    assert main([str(tmp_path / "data"), str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("harbour: 1.000 of 18 letters kept")
